/** The cluster's backup job in Proxmox: made, kept, and no other job touched. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { parseUpid } from '../../src/clients/proxmox/task.js';
import { TestApi } from '../lab-client/api.js';
import { CliFolder, ended, type LabAccess } from '../support/cli.js';
import { smallCluster } from '../support/configs.js';
import { configOf, VmSite } from '../support/vm-site.js';

const file = (backup: string) =>
  smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'], more: `backup: ${backup}` });

describe('the backup job', () => {
  let site: VmSite;
  let client: ProxmoxConnection;

  beforeEach(async () => {
    site = await VmSite.start(
      configOf(file('{ storage: local, schedule: "03:30", keep: { daily: 7, weekly: 4 } }')),
    );
    client = site.connect();
    await client.createBackupJob('mine', {
      storage: 'local',
      schedule: 'daily',
      vmid: '900',
      comment: 'by hand',
    });
  });
  afterEach(async () => {
    await client.close();
    await site.stop();
  });

  const jobs = async () =>
    Object.fromEntries((await client.backupJobs()).map(({ id, settings }) => [id, settings]));
  const ids = async () => (await site.plan(client)).steps.map((step) => step.id);

  it('is made with the VMs, is changed with oxherd.yaml, and drift is shown and set right', async () => {
    expect((await site.apply(client)).result.outcome).toBe('done');
    const { id } = site.design.backup ?? { id: '' };
    const before = (await jobs()).mine;
    expect((await jobs())[id]).toMatchObject({
      storage: 'local',
      schedule: '03:30',
      vmid: '141,151',
      'prune-backups': 'keep-daily=7,keep-weekly=4',
      comment: expect.stringContaining(`(${id})`),
    });
    expect(await ids()).toEqual([]);
    await client.updateBackupJob(id, { schedule: 'sat 01:00', enabled: '0' });
    const [step] = (await site.plan(client)).steps;
    expect(step?.reasons).toEqual(['schedule sat 01:00 → 03:30', 'enabled 0 → 1']);
    site.use(file('{ storage: local, schedule: "04:00" }'));
    expect((await site.apply(client, { runId: 'next' })).result.outcome).toBe('done');
    expect((await jobs())[id]).toMatchObject({ schedule: '04:00', enabled: '1' });
    expect(await ids()).toEqual([]);
    expect((await jobs()).mine).toEqual(before);
  });

  it('of someone else under our id is a problem, and is left as it is', async () => {
    const { id } = site.design.backup ?? { id: '' };
    await client.createBackupJob(id, { storage: 'local', schedule: 'daily', vmid: '900' });
    expect((await site.plan(client)).problems).toMatchObject([{ code: 'backup-job' }]);
  });
});

describe('backups, by the command line', () => {
  const config = smallCluster({
    controlPlanes: 1,
    workers: 1,
    hosts: ['pve1'],
    more: 'backup: { storage: local, schedule: "03:30", maxAge: 1h }\n',
    volumes: `  data: { type: disk, size: 1GiB, on: worker }
  scratch: { type: disk, size: 1GiB, on: worker, backup: false }
  notes: { type: directory, on: all }
  pv-1: { type: proxmox-csi, size: 1GiB, host: pve1 }
  pv-2: { type: proxmox-csi, size: 1GiB, host: pve1, backup: true }`,
  });
  let folder: CliFolder;

  beforeAll(async () => {
    folder = CliFolder.make(config);
    ended(await folder.lab('apply', '--yes'));
  });
  afterAll(() => folder.remove());

  const backups = async () => {
    const { conditions } = JSON.parse((await folder.lab('status', '--json')).stdout) as {
      conditions: { name: string; subject?: string; state: string; message: string }[];
    };
    return conditions
      .filter(({ name }) => name.startsWith('backup'))
      .map(({ subject, state, message }) => `${subject ?? '-'} ${state} ${message}`);
  };
  /** A run of vzdump, to its end. */
  const vzdump = (vmid: number, before?: (access: LabAccess) => unknown) =>
    folder.withLab(async (access) => {
      await before?.(access);
      const api = TestApi.asRoot(access.lab);
      const { data } = await api.call('POST', '/nodes/pve1/vzdump', { vmid, storage: 'local' });
      await access.hand.waitTask(parseUpid(String(data))).catch(() => {});
    });
  const pass = (minutes: number) => folder.withLab(({ lab }) => lab.clock.sleep(minutes * 60_000));
  const locked = ({ lab }: LabAccess, lock: string | undefined) => {
    const { vms } = lab.proxmox.pve.db;
    const vm = vms.get('151');
    if (!vm) return;
    const { lock: _old, ...config } = vm.config;
    vms.put('151', { ...vm, config: { ...config, ...(lock && { lock }) } });
  };

  it('are missing at first, and volumes that are in none are named', async () => {
    expect(await backups()).toEqual([
      'cp-1 failed VM 141 has no good backup on local',
      'work-1 failed VM 151 has no good backup on local',
      '- note no backup has work-1/scratch, cp-1/notes, pv-1',
    ]);
  });

  it('count by the age of the last good one, not by what is there', async () => {
    await vzdump(141);
    await vzdump(151);
    await pass(30);
    expect((await backups()).slice(0, 2)).toEqual([
      'cp-1 ok the last good backup of VM 141 is 30m old',
      'work-1 ok the last good backup of VM 151 is 30m old',
    ]);
    await pass(30);
    // A newer one whose verification failed is none.
    await vzdump(141);
    await folder.withLab(async ({ lab }) => {
      const { volumes } = lab.proxmox.pve.db;
      const [newest] = [...volumes.values()]
        .filter(({ content, owner }) => content === 'backup' && owner === 141)
        .sort((a, b) => b.ctime - a.ctime);
      for (const [key, volume] of volumes.entries())
        if (volume === newest) volumes.put(key, { ...volume, verification: { state: 'failed', upid: 'x' } });
    });
    // A run that fails makes none.
    await vzdump(151, (access) => locked(access, 'migrate'));
    await pass(10);
    expect((await backups()).slice(0, 2)).toEqual([
      'cp-1 failed the last good backup of VM 141 is 1h10m old; the one made 10m ago does not count: its verification failed',
      'work-1 failed the last good backup of VM 151 is 1h10m old; the run 10m ago failed: job errors',
    ]);
  });

  it('end with the cluster: destroy removes the job, keeps what it made, and no other job', async () => {
    const copy = folder.copy();
    try {
      await copy.withLab(async (access) => {
        await access.hand.createBackupJob('mine', { storage: 'local', schedule: 'daily', vmid: '900' });
        locked(access, undefined);
      });
      copy.config = config.replace(/^backup:.*\n/m, '');
      const plan = await copy.lab('plan');
      expect(plan.stdout).toMatch(/the backup job \S+ stays in Proxmox/);
      const destroyed = await copy.lab('destroy', '--yes');
      expect(destroyed.stdout).toMatch(/remove backup job/);
      expect(destroyed.exit).toBe(0);
      await copy.withLab(async ({ lab, hand }) => {
        expect((await hand.backupJobs()).map(({ id }) => id)).toEqual(['mine']);
        const kept = [...lab.proxmox.pve.db.volumes.values()].filter(({ content }) => content === 'backup');
        expect(kept).toHaveLength(3);
      });
    } finally {
      copy.remove();
    }
  });
});
