import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { known, type Observed, unknown } from '../../observe/observed.js';
import type { KubeVolume, ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import { lostClaims } from './lost-claims.js';

const on = (key: string, ...values: string[]): NonNullable<KubeVolume['nodeTerms']> => [
  { matchExpressions: [{ key, operator: 'In', values }] },
];
const HOSTNAME = 'kubernetes.io/hostname';
const volume = (name: string, more: Partial<KubeVolume>): KubeVolume => ({
  name,
  phase: 'Bound',
  message: '',
  ...more,
});

/** work-2 loses `/var`, and keeps what is mounted from its volume `db`. */
function lost(volumes: readonly KubeVolume[], nodes: readonly string[] = ['work-1', 'work-2']): string[] {
  const objects = nodes.map((name) => ({
    name,
    labels: { [HOSTNAME]: name, 'topology.kubernetes.io/zone': name === 'work-2' ? 'pve2' : 'pve1' },
  }));
  const kubernetes = partOf<ObservedKubernetes>({ volumes: known(volumes), nodes: known(objects) });
  const isLost = (path: string | undefined) => path === undefined || !path.startsWith('/var/mnt/db');
  return lostClaims(
    partOf<Observed>({ kubernetes }),
    'pve2',
    [{ name: 'work-2', isLost }],
    (storage) => storage === 'nas',
  );
}

describe('PersistentVolumes that are lost with a host', () => {
  const pinned = volume('pv-1', {
    path: '/var/local-path/pv-1',
    nodeTerms: on(HOSTNAME, 'work-2'),
    claim: { namespace: 'shop', name: 'db-0' },
  });

  it('are directories of a node that loses its disks, with their claim', () => {
    expect(lost([pinned])).toEqual(['pv-1 (claim shop/db-0)']);
    expect(lost([pinned], ['work-1'])).toEqual(['pv-1 (claim shop/db-0)']);
  });

  it('are not those on a disk that is taken over, on another node, or on several', () => {
    const nodeTerms = on(HOSTNAME, 'work-2');
    expect(
      lost([
        volume('kept', { path: '/var/mnt/db/1', nodeTerms }),
        volume('elsewhere', { path: '/var/x', nodeTerms: on(HOSTNAME, 'work-1') }),
        volume('both', { path: '/var/x', nodeTerms: on(HOSTNAME, 'work-1', 'work-2') }),
        volume('anywhere', { path: '/var/x' }),
        volume('long-gone', { path: '/var/x', nodeTerms: on(HOSTNAME, 'work-9') }),
      ]),
    ).toEqual([]);
  });

  it('are spoken of where they cannot be read and a node loses its disks', () => {
    const kubernetes = partOf<ObservedKubernetes>({ volumes: unknown('no API server answers') });
    const gone = (isLost: boolean) => [{ name: 'work-2', isLost: () => isLost }];
    const observed = partOf<Observed>({ kubernetes });
    expect(lostClaims(observed, 'pve2', gone(true), () => false)).toEqual([
      'PersistentVolumes on disks of work-2 (which ones is not known: Kubernetes does not answer)',
    ]);
    expect(lostClaims(observed, 'pve2', gone(false), () => false)).toEqual([]);
  });

  it('are disks of the CSI driver by their host, and of other drivers by their node, not by their zone', () => {
    const zone = on('topology.kubernetes.io/zone', 'pve2');
    expect(
      lost([
        volume('csi', { handle: 'rack/pve2/local-zfs/vm-9999-pvc-1', nodeTerms: zone }),
        volume('csi-shared', { handle: 'rack/pve2/nas/vm-9999-pvc-2', nodeTerms: zone }),
        volume('lvm', { handle: 'b1946ac9', nodeTerms: on(HOSTNAME, 'work-2') }),
        volume('ceph', { handle: '0001-0009', nodeTerms: zone }),
      ]),
    ).toEqual(['csi', 'lvm']);
  });
});
