/** Two clusters on one Proxmox through the command line: names that looked alike to version 0.1.0, equal volume names. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSISTENT_VOLUMES } from '../../src/clients/kubernetes/resources.js';
import { CliFolder, labFile } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { makeObjectsOld } from '../support/legacy.js';

const config = (cluster: string, at: number) => `
cluster: { ${cluster}, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-${at}: { role: controlplane, host: pve1, ip: 10.20.30.${at}, vmid: 1${at}, cores: 2, memory: 4GiB, disk: 6GiB }
volumes:
  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1 }
`;
const FIRST = config('name: home-dev', 41);
const SECOND = config('name: home, env: dev', 61);

describe('two clusters whose names look alike', () => {
  let folder: CliFolder;
  /** What is in every disk; the second cluster has its own secrets in the same folder. */
  const contents = () =>
    folder.withLab(async ({ lab }) =>
      [...lab.proxmox.pve.db.volumes.entries()]
        .filter(([key]) => !key.includes(':import/'))
        .map(([key, { data }]) => `${key} ${JSON.stringify(data)}`)
        .sort(),
    );
  const vmids = () =>
    folder.withLab(async ({ lab }) => [...lab.proxmox.pve.db.vms.entries()].map(([vmid]) => vmid).sort());

  beforeAll(async () => {
    folder = CliFolder.make(FIRST);
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  });
  afterAll(() => folder.remove());

  it('plan nothing against one another', async () => {
    folder.config = SECOND;
    const { stdout } = await folder.lab('plan');
    expect(stdout).not.toMatch(/remove VM|141/);
    expect(stdout).toContain('create VM 161');
  });

  it('a cluster that was never built destroys nothing of the other, nor its volume of the same name', async () => {
    const before = await contents();
    folder.config = SECOND;
    const destroyed = await folder.lab('destroy', '--delete-data', '--confirm', 'home');
    expect(destroyed.exit).toBe(0);
    expect(await contents()).toEqual(before);
    expect(await vmids()).toEqual(['141', '1410']);
  });

  it('refuse to delete without their secrets, and say the way out', async () => {
    folder.config = FIRST;
    const secrets = labFile(folder.path, 'secrets.yaml');
    const copy = folder.copy();
    rmSync(secrets);
    const refused = await folder.lab('destroy', '--delete-data', '--confirm', 'home-dev');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toContain('nothing is deleted without them');
    expect(await vmids()).toEqual(['141', '1410']);
    folder.remove();
    folder = copy;
  });

  it('take a disk of version 0.1.0 only when a person names it', async () => {
    const disk = 'vm-9999-pv-data';
    await withCluster(folder, '10.20.30.41', async ({ hand, kubernetes }) => {
      await makeObjectsOld(
        kubernetes,
        { name: 'home-dev', env: '' },
        { secret: 's', volume: 'pv-data', disk },
      );
      for (const { volid } of await hand.storageContent('pve1', 'local-zfs', { vmid: 9999 }))
        await hand.runTask(() => hand.deleteVolume('pve1', volid));
      await hand.allocVolume('pve1', 'local-zfs', { vmid: 9999, filename: disk, size: 1024 ** 3 });
      await kubernetes.delete(PERSISTENT_VOLUMES, 'pv-data');
    });
    const unclear = await folder.lab('plan');
    expect(unclear.stdout).toContain(`oxherd --lab volumes adopt pv-data local-zfs:${disk}`);
    expect((await folder.lab('volumes', 'adopt', 'pv-data', `local-zfs:${disk}`)).exit).not.toBe(0);
    const adopted = await folder.lab(
      'volumes',
      'adopt',
      'pv-data',
      `local-zfs:${disk}`,
      '--confirm',
      'pv-data',
    );
    expect(adopted).toMatchObject({ exit: 0 });
    expect((await folder.lab('plan')).stdout).not.toMatch(/create volume|version 0\.1\.0/);
  });
});
