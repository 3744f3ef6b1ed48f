/** The cluster's backup job in Proxmox: made, kept, and no other job touched. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { backupConditions } from '../../src/health/backups.js';
import { observe } from '../../src/observe/observe.js';
import { smallCluster } from '../support/configs.js';
import { configOf, VmSite } from '../support/vm-site.js';

const file = (backup: string) =>
  smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'], more: `backup: ${backup}` });

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

describe('the backup job', () => {
  it('is made with the VMs, is changed with the file, and drift is shown and set right', async () => {
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

  it('of somebody else under our id is a problem, and is left as it is', async () => {
    const { id } = site.design.backup ?? { id: '' };
    await client.createBackupJob(id, { storage: 'local', schedule: 'daily', vmid: '900' });
    expect((await site.plan(client)).problems).toMatchObject([{ code: 'backup-job' }]);
  });

  it('shows in status how old the newest backups are', async () => {
    await site.apply(client);
    const look = async (age: number | undefined) => {
      const observed = await observe(client, site.design);
      const vmid = site.design.nodes[0]?.talosVm.vmid ?? 0;
      expect(observed.backup?.newest).toEqual({ known: true, value: {} });
      const newest = {
        known: true as const,
        value: age === undefined ? {} : { [vmid]: 10_000_000_000 - age },
      };
      const seen = { ...observed, backup: { jobs: { known: true as const, value: {} }, newest } };
      return backupConditions(site.design, seen, ['pv-1'], 10_000_000_000).map(
        ({ subject, state, message }) => `${subject ?? ''} ${state} ${message}`,
      );
    };
    const [first = '', , note = ''] = await look(3_600_000);
    expect(first).toMatch(/^\S+ ok the last backup of VM 141 is 1h old$/);
    expect(note).toBe(' note no backup has pv-1');
    expect((await look(3 * 86_400_000))[0]).toMatch(/failed the last backup of VM 141 is 3d old/);
    expect((await look(undefined))[0]).toMatch(/failed VM 141 has no backup on local/);
  });
});
