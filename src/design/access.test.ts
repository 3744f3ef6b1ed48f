import { describe, expect, it } from 'vitest';
import { config, csiVolume, vmid } from '../../test/support/design/config.js';
import type { Config } from '../config/config.js';
import { design } from './design-cluster.js';

function withEnv(env: string, overrides: Partial<Config> = {}): Config {
  const base = config(overrides);
  return { ...base, cluster: { ...base.cluster, env } };
}

type Csi = NonNullable<Config['kubernetes']['csi']>;
const csi = (overrides: Partial<Csi> = {}): Config['kubernetes'] => ({
  manifests: [],
  csi: {
    delete: false,
    acceptDeleteRisk: false,
    storageClasses: [],
    driver: 'built-in',
    images: {},
    ...overrides,
  },
});

const ROLE = 'oxherd_homelab.csi';
const USER = 'oxherd_homelab.csi@pve';

const acls = (value: Config) =>
  design(value).access.flatMap((entry) =>
    entry.kind === 'acl' ? [`${entry.path} ${entry.role} ${entry.subject.id}`] : [],
  );

describe('access of the CSI driver', () => {
  it.each([
    ['', 'vm-9999-_b8ac1fc590-pv-foo', 'oxherd_homelab'],
    ['dev', 'vm-9999-_6c00df7cc9-pv-foo', 'oxherd_homelab_dev'],
  ])('is of this cluster alone, env %j', (env, volumeName, pool) => {
    const result = design(withEnv(env, { volumes: [csiVolume('pv-foo')] }));
    expect(result.csiVolumes.map((volume) => volume.volumeName)).toEqual([volumeName]);
    expect(result.pool).toBe(pool);
    expect(result.access.filter((entry) => entry.kind !== 'acl')).toEqual([
      { kind: 'pool', id: pool, comment: 'Talos VMs of homelab' },
      {
        kind: 'role',
        id: `${pool}.csi`,
        privileges: ['Datastore.AllocateSpace', 'Datastore.Audit', 'VM.Audit', 'VM.Config.Disk'],
      },
      { kind: 'user', id: `${pool}.csi@pve`, comment: 'Proxmox CSI driver of homelab' },
      { kind: 'token', user: `${pool}.csi@pve`, id: 'csi', privilegeSeparation: true },
    ]);
  });

  it('is granted to the user and to its token, on pool, storages and volume ids alone', () => {
    const value = withEnv('', {
      volumes: [csiVolume('a'), csiVolume('b', { vmid: vmid(9876), storage: 'nfs' })],
    });
    const both = (path: string) => [`${path} ${ROLE} ${USER}`, `${path} ${ROLE} ${USER}!csi`];
    expect(acls(value)).toEqual(
      ['/pool/oxherd_homelab', '/storage/nfs', '/storage/tank', '/vms/9876', '/vms/9999'].flatMap(both),
    );
  });

  it('uses the pool of the config', () => {
    const base = config({ kubernetes: csi() });
    const value = { ...base, proxmox: { ...base.proxmox, pool: 'k8s' } };
    expect(design(value).pool).toBe('k8s');
    expect(acls(value)[0]).toBe(`/pool/k8s ${ROLE} ${USER}`);
  });

  it('is not there without CSI; a pool that is asked for is', () => {
    const base = config();
    expect(design(base).access).toEqual([]);
    const pooled = design({ ...base, proxmox: { ...base.proxmox, pool: 'k8s' } });
    expect(pooled.access).toEqual([{ kind: 'pool', id: 'k8s', comment: 'Talos VMs of homelab' }]);
  });

  it('may delete volumes only on storages without our disks, or where the risk is accepted', () => {
    const storageClass = (storage: string) => ({
      name: storage,
      storage,
      filesystem: 'ext4' as const,
      ssd: true,
      reclaim: 'Delete' as const,
      backup: false,
    });
    const storageClasses = [storageClass('local-zfs'), storageClass('tank')];
    const deletable = (kubernetes: Config['kubernetes']) =>
      acls(config({ kubernetes })).filter((line) => line.includes('csi-delete'));
    expect(deletable(csi({ storageClasses }))).toEqual([]);
    expect(deletable(csi({ storageClasses, delete: true }))).toEqual([
      `/storage/tank ${ROLE}-delete ${USER}`,
      `/storage/tank ${ROLE}-delete ${USER}!csi`,
    ]);
    expect(deletable(csi({ storageClasses, delete: true, acceptDeleteRisk: true }))).toHaveLength(4);
  });
});
