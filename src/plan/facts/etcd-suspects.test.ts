import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { type Observed, type ObservedVm, unknown } from '../../observe/observed.js';
import { visibleVm, withoutVms, withVms } from '../../observe/observed-vms.js';
import { etcdSuspects } from './etcd-suspects.js';

const OLD = config({
  nodes: [nodeConfig('cp-1', 141, 'controlplane'), nodeConfig('work-1', 151, 'worker')],
});
const NEW = design(config({ nodes: [nodeConfig('ox-1', 161, 'controlplane')] }));
const BUILT = builtProxmox(OLD);

const changed = (observed: Observed, vmid: number, change: (vm: ObservedVm) => ObservedVm): Observed => {
  const vm = visibleVm(observed, vmid);
  return vm ? { ...observed, vms: withVms(observed.vms, [change(vm)]) } : observed;
};
const noted = (observed: Observed, note: string) =>
  changed(observed, 1410, (vm) => {
    if (!vm.config.known) return vm;
    const { values } = vm.config.value;
    const description = (values.description ?? '').replace(/^etcd member$/m, note);
    return {
      ...vm,
      config: { known: true, value: { ...vm.config.value, values: { ...values, description } } },
    };
  });
const without = (observed: Observed, ...vmids: number[]): Observed => ({
  ...observed,
  vms: withoutVms(observed.vms, new Set(vmids)),
  taken: Object.fromEntries(Object.entries(observed.taken).filter(([vmid]) => !vmids.includes(Number(vmid)))),
});
const suspects = (observed: Observed) => etcdSuspects({ design: NEW, observed });

describe('who may have etcd data and is not in oxherd.yaml', () => {
  it('is a control plane that does not answer, and no worker', () => {
    expect(suspects(BUILT)).toEqual(['cp-1 (VM 141)']);
  });

  it('is one whose tags are gone, by the note on its data VM', () => {
    expect(suspects(changed(BUILT, 141, (vm) => ({ ...vm, tags: [] })))).toEqual(['cp-1 (VM 141)']);
  });

  it('is one without tags and without a data VM', () => {
    const single = without(
      changed(BUILT, 141, (vm) => ({ ...vm, tags: [] })),
      1410,
    );
    expect(suspects(single)).toEqual(['cp-1 (VM 141)']);
  });

  it('is one that is noted as removed while its VM exists', () => {
    const untagged = changed(noted(BUILT, 'etcd removed a1'), 141, (vm) => ({ ...vm, tags: [] }));
    expect(suspects(untagged)).toEqual(['cp-1 (VM 141)']);
  });

  it('is a data VM with the disk of a member, and none that left', () => {
    expect(suspects(without(BUILT, 141))).toEqual(['cp-1 (data VM 1410)']);
    expect(suspects(without(noted(BUILT, 'etcd left'), 141))).toEqual([]);
    expect(suspects(without(noted(BUILT, 'etcd removed a1'), 141))).toEqual([]);
  });

  it('is a data VM that could not be read', () => {
    const unread = changed(without(BUILT, 141), 1410, (vm) => ({
      ...vm,
      config: unknown('its host is down'),
    }));
    expect(suspects(unread)).toEqual(['cp-1 (data VM 1410)']);
  });

  it('is no machine that waits for its config', () => {
    const machine = { node: 'cp-1', presence: 'maintenance' as const, details: unknown<never>('no config') };
    expect(suspects({ ...BUILT, removedMachines: { 141: machine } })).toEqual([]);
  });
});
