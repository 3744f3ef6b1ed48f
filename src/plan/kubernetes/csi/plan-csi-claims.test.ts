import { expect, it } from 'vitest';
import { config } from '../../../../test/support/design/config.js';
import { partOf } from '../../../../test/support/part-of.js';
import { partVms } from '../../../../test/support/plan/part-vms.js';
import { design } from '../../../design/design-cluster.js';
import { kubernetesDesign } from '../../../design/kubernetes/kubernetes-design.js';
import { bytes, GIB } from '../../../model/size.js';
import type { KubeClaim } from '../../../observe/observed-kubernetes.js';
import { completeList, unreadList } from '../../../observe/observed-lists.js';
import type { KubernetesPlan } from '../kubernetes-part.js';
import { planClaims } from './plan-csi-claims.js';

const gib = (count: number) => bytes(count * GIB);

const whole = config({
  volumes: [
    {
      ...{ name: 'pv', type: 'proxmox-csi', size: gib(4), host: 'pve1', storage: 'local-zfs' },
      ...{ format: 'raw', vmid: 9999, filesystem: 'ext4', storageClass: 'proxmox-csi' },
    },
  ] as never,
});
const made = design(whole);
const volid = `local-zfs:${made.csiVolumes[0]?.volumeName}`;

/** The disk has `disk` GiB (`undefined`: it could not be read); the claim has and asks for what is given. */
function planned(disk: number | undefined, claim: Partial<KubeClaim>) {
  const seen = { namespace: 'default', name: 'data', volume: 'pv', ...claim };
  const given = partOf<KubernetesPlan>({
    context: {
      list: { steps: [] },
      problems: [],
      notes: [],
      resets: new Map(),
      design: made,
      observed: {
        vms: partVms(),
        volumes: {
          'pve1/local-zfs':
            disk === undefined ? unreadList('500') : completeList({ [volid]: { volid, size: gib(disk) } }),
        },
      },
    },
    design: kubernetesDesign(whole, made, { storages: {}, sizes: {} }),
    there: { claims: { known: true, value: [seen] } },
    api: undefined,
  });
  return planClaims(given).steps.map(({ kind }) => kind);
}

it('lets a claim ask again where the disk has grown and the claim step failed', () => {
  expect(planned(4, { capacity: gib(2), request: gib(2) })).toEqual(['grow-claim']);
});

it('leaves a claim alone that has asked: the driver is at work', () => {
  expect(planned(4, { capacity: gib(2), request: gib(4) })).toEqual([]);
});

it('leaves a claim alone that has grown beyond the config', () => {
  expect(planned(6, { capacity: gib(6), request: gib(6) })).toEqual([]);
});

it('lets a claim ask whose volume no VM uses, once', () => {
  expect(planned(2, { capacity: gib(2), request: gib(2) })).toEqual(['grow-claim']);
  expect(planned(2, { capacity: gib(2), request: gib(4) })).toEqual([]);
});

it('asks for nothing while the size of the disk could not be read', () => {
  expect(planned(undefined, { capacity: gib(2), request: gib(2) })).toEqual([]);
});
