/** Two running clusters on one Proxmox, with equal volume names and no `env`: nothing is shared, nothing adopted silently. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSISTENT_VOLUMES, PODS } from '../../src/clients/kubernetes/resources.js';
import { CliFolder, ended } from '../support/cli.js';
import { type ClusterAccess, claim, withCluster } from '../support/cluster.js';

const config = (name: string, at: number) => `
cluster: { name: ${name}, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp: { role: controlplane, count: 1, hosts: [pve1], ip: 10.20.30.${at}, vmid: 1${at}, cores: 2, memory: 4GiB, disk: 6GiB }
volumes:
  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1 }
  pv-logs: { type: proxmox-csi, size: 1GiB, host: pve1 }
  data: { type: disk, size: 1GiB, on: all }
`;
const CLUSTERS = { alpha: { at: 41 }, beta: { at: 61 } } as const;
type Name = keyof typeof CLUSTERS;

describe('two clusters with equal volume names', () => {
  let folder: CliFolder;
  const use = (name: Name) => {
    folder.config = config(name, CLUSTERS[name].at);
  };
  /** Every disk with what is in it; its users follow below. */
  const contents = () =>
    folder.withLab(
      async ({ lab }) =>
        new Map(
          [...lab.proxmox.pve.db.volumes.entries()]
            .filter(([, { content }]) => content === 'images')
            .map(([key, { data, size }]) => [key, JSON.stringify({ data, size })]),
        ),
    );
  const inCluster = <T>(name: Name, work: (access: ClusterAccess) => Promise<T>) =>
    withCluster(folder, `10.20.30.${CLUSTERS[name].at}`, work, name);
  const handles = (name: Name): Promise<string[]> =>
    inCluster(name, async ({ kubernetes }) =>
      (await kubernetes.list(PERSISTENT_VOLUMES)).map(({ spec }) => spec?.csi?.volumeHandle ?? '').sort(),
    );
  const disksOf = async (name: Name) => (await handles(name)).map((handle) => handle.split('/').at(-1) ?? '');

  beforeAll(async () => {
    folder = CliFolder.make(config('alpha', CLUSTERS.alpha.at));
    ended(await folder.lab('apply', '--yes'));
  });
  afterAll(() => folder.remove());

  it('are built side by side: the second takes nothing of the first', async () => {
    const before = await contents();
    use('beta');
    const plan = await folder.lab('plan');
    expect(plan.stdout).not.toMatch(/141|adopt/);
    expect(plan.stdout.match(/create volume vm-9999-\S+/g)).toHaveLength(2);
    ended(await folder.lab('apply', '--yes'));
    const after = await contents();
    for (const [key, content] of before) expect([key, after.get(key)]).toEqual([key, content]);
    const [alpha, beta] = [await handles('alpha'), await handles('beta')];
    expect(alpha).toHaveLength(2);
    expect(beta).toHaveLength(2);
    expect(alpha.filter((handle) => beta.includes(handle))).toEqual([]);
    for (const name of ['alpha', 'beta'] as const) {
      use(name);
      expect((await folder.lab('plan', '--exit-code')).exit).toBe(0);
    }
  });

  it('mount their own volume of the same name', async () => {
    for (const name of ['alpha', 'beta'] as const) {
      const { at } = CLUSTERS[name];
      const disks = await disksOf(name);
      await inCluster(name, async ({ kubernetes, pass, lab }) => {
        await kubernetes.apply(claim('pv-data', 'pv-data', '1Gi'));
        await kubernetes.apply({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'user', namespace: 'default' },
          spec: {
            containers: [
              { name: 'c', image: 'busybox:1.37', volumeMounts: [{ name: 'd', mountPath: '/d' }] },
            ],
            volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'pv-data' } }],
          },
        });
        await pass(120);
        const [pod] = await kubernetes.list(PODS, { namespace: 'default' });
        expect(pod?.status?.phase).toBe('Running');
        const lines = Object.values(lab.proxmox.pve.db.vms.get(`1${at}`)?.config ?? {});
        const mounted = lines.filter((line) => line.includes('vm-9999-'));
        expect(mounted).toHaveLength(1);
        expect(disks.some((disk) => mounted[0]?.includes(disk))).toBe(true);
      });
    }
  });

  it('adopt no volume of the other, not even when it is named', async () => {
    const before = await contents();
    const [other = ''] = (await handles('beta')).filter((handle) => handle.includes('pv-logs'));
    const volid = `local-zfs:${other.split('/').at(-1)}`;
    use('alpha');
    const adopted = await folder.lab('volumes', 'adopt', 'pv-logs', volid, '--confirm', 'pv-logs');
    expect(adopted.exit).toBe(1);
    expect(await handles('alpha')).not.toContain(other);
    expect(await contents()).toEqual(before);
  });

  it('lose nothing when the other is destroyed with all its data', async () => {
    const before = await contents();
    const own = (key: string) => /vm-61|vm-161/.test(key);
    const beta = await disksOf('beta');
    const alpha = await disksOf('alpha');
    use('beta');
    ended(await folder.lab('destroy', '--delete-data', '--confirm', 'beta'));
    const after = await contents();
    for (const [key, content] of before) {
      const isBeta = own(key) || beta.some((disk) => key.includes(disk));
      expect([key, after.get(key)]).toEqual([key, isBeta ? undefined : content]);
    }
    for (const disk of alpha) expect([...after.keys()].some((key) => key.includes(disk))).toBe(true);
    use('alpha');
    expect((await folder.lab('plan', '--exit-code')).exit).toBe(0);
    expect((await folder.lab('status')).exit).toBe(0);
  });
});
