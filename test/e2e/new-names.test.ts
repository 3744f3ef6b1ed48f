/** A cluster that version 0.1.0 made, with its Kubernetes: it gets names of its own, and keeps its disks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSISTENT_VOLUMES, SECRETS } from '../../src/clients/kubernetes/resources.js';
import { csiTokenIn } from '../../src/design/kubernetes/csi.js';
import { legacyLockPoolName } from '../../src/formats/marks/cluster-names.js';
import { CliFolder } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { makeAccessOld, makeObjectsOld, makeTagsOld } from '../support/legacy.js';

const API = '10.20.30.41';
const CLUSTER = { name: 'solo', env: '' };
const OLD_DISK = 'vm-9999-pv-a';
const config = `
cluster: { name: solo, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: ${API}, vmid: 141, cores: 2, memory: 4GiB, disk: 6GiB }
volumes:
  pv-a: { type: proxmox-csi, size: 1GiB, host: pve1 }
`;

describe('a cluster of version 0.1.0', () => {
  let folder: CliFolder;
  const disks = () =>
    folder.withLab(async ({ lab }) =>
      [...lab.proxmox.pve.db.volumes.entries()].map(([key, { size, data }]) => [key, size, data]).sort(),
    );

  beforeAll(async () => {
    folder = CliFolder.make(config);
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    await withCluster(folder, API, async ({ hand, kubernetes }) => {
      await makeTagsOld(hand, CLUSTER);
      const secret = await makeAccessOld(hand, CLUSTER);
      await makeObjectsOld(kubernetes, CLUSTER, { secret, volume: 'pv-a', disk: OLD_DISK });
      for (const { volid } of await hand.storageContent('pve1', 'local-zfs', { vmid: 9999 }))
        await hand.runTask(() => hand.deleteVolume('pve1', volid));
      await hand.allocVolume('pve1', 'local-zfs', { vmid: 9999, filename: OLD_DISK, size: 1024 ** 3 });
    });
  });
  afterAll(() => folder.remove());

  it('gets its new names by a plan that interrupts nothing', async () => {
    const { steps, problems } = JSON.parse((await folder.lab('plan', '--json')).stdout);
    expect(problems).toEqual([]);
    const impacts = new Set(steps.map((step: { impact: string }) => step.impact));
    expect([...impacts].sort()).toEqual(['live', 'none']);
    const titles = steps.map((step: { title: string }) => step.title).join('\n');
    for (const title of ['remove user kubernetes-csi@pve', 'remove role CSI', 'remove pool oxherd-solo'])
      expect(titles).toContain(title);
  });

  it('waits for a run of version 0.1.0, which knows the old lock alone', async () => {
    const holder = { host: 'elsewhere', bootId: 'b', pid: 7, runId: 'old', since: '2026-01-01T00:00:00Z' };
    const pool = legacyLockPoolName(CLUSTER);
    await folder.withLab(({ hand }) => hand.createPool(pool, JSON.stringify(holder)));
    const refused = await folder.lab('apply', '--yes');
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining(pool) });
    await folder.withLab(({ hand }) => hand.deletePool(pool));
  });

  it('keeps its disks, and nothing is left of the old names', async () => {
    const before = await disks();
    const applied = await folder.lab('apply', '--yes');
    expect(applied).toMatchObject({ exit: 0 });
    expect(applied.stdout).not.toMatch(/create volume|stop|restart/);
    expect(await disks()).toEqual(before);
    await withCluster(folder, API, async ({ hand, kubernetes }) => {
      expect((await hand.vms()).flatMap((vm) => vm.tags).filter((tag) => tag.startsWith('oxherd-'))).toEqual(
        [],
      );
      const pools = (await hand.pools()).map((pool) => pool.poolid);
      expect(pools).toEqual(['oxherd_solo']);
      expect(pools).not.toContain(legacyLockPoolName(CLUSTER));
      const users = (await hand.users()).map((user) => user.userid).filter((id) => id.includes('csi'));
      expect(users).toEqual(['oxherd_solo.csi@pve']);
      expect((await hand.roles()).map((role) => role.roleid).filter((id) => /csi/i.test(id))).toEqual([
        'oxherd_solo.csi',
      ]);
      const secret = await kubernetes.get(SECRETS, 'proxmox-csi-plugin', 'csi-proxmox');
      expect(csiTokenIn(secret?.data ?? {}).tokenId).toBe('oxherd_solo.csi@pve!csi');
      const volume = await kubernetes.get(PERSISTENT_VOLUMES, 'pv-a');
      expect(volume?.spec?.csi?.volumeHandle).toBe(`rack/pve1/local-zfs/${OLD_DISK}`);
    });
    expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
  });

  it('is not deleted with a disk whose name does not say whose it is', async () => {
    const destroyed = await folder.lab('destroy', '--delete-data', '--confirm', 'solo');
    expect(destroyed.exit).toBe(0);
    expect(destroyed.stdout).toContain(`pvesm free local-zfs:${OLD_DISK}`);
    expect((await disks()).map(([key]) => key).filter((key) => !String(key).includes(':import/'))).toEqual([
      `pve1/local-zfs:${OLD_DISK}`,
    ]);
  });
});
