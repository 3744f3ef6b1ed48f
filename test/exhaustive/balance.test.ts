/** `capacity --balance`: moves by the same steps as any move, under the watcher. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd as herdText } from '../support/herd.js';
import { expectNothingToDo } from '../support/rolling.js';
import { onSharedStorage } from '../support/shared-world.js';

const AUTO = herdText({ controlPlanes: 3, workers: 3 })
  .replace(/host: pve\d/g, 'host: auto')
  .replace('hosts: { pve1: {}, pve2: {}, pve3: {} }', 'hosts: { pve1: {}, pve2: {}, pve3: {} }');
const CROWDED = AUTO.replace(/(work-\d: \{ role: worker, host: )auto/g, '$1pve1');

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(CROWDED, undefined, onSharedStorage);
  ended(await site.run('apply', '--yes'));
}, 300_000);
afterAll(() => site.remove());

const hostsOf = (...vmids: number[]) =>
  vmids.map((vmid) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host);

it('nodes with host: auto are spread once hosts may be chosen, and only once', async () => {
  for (const name of ['pve1', 'pve2', 'pve3']) {
    const record = site.lab.proxmox.pve.db.hosts.get(name);
    if (record) site.lab.proxmox.pve.db.hosts.put(name, { ...record, memory: 32 * 2 ** 30 });
  }
  expect(ended(await site.run('capacity', '--balance', '--yes'))).toContain('No move');
  site.config = AUTO;
  await expectNothingToDo(site);
  const shown = JSON.parse(ended(await site.run('--json', 'capacity', '--balance')));
  expect(shown.steps.some(({ kind }: { kind: string }) => kind === 'migrate-vm')).toBe(true);
  expect(hostsOf(151, 152, 153)).toEqual(['pve1', 'pve1', 'pve1']);
  const { result, report } = await site.watch(['capacity', '--balance', '--yes'], { away: 0 });
  ended(result);
  expect(report.violations).toEqual([]);
  expect(new Set(hostsOf(151, 152, 153)).size).toBe(3);
  expect(hostsOf(1510, 1520, 1530)).toEqual(hostsOf(151, 152, 153));
  await expectNothingToDo(site);
  expect(ended(await site.run('capacity', '--balance', '--yes'))).toContain('No move');
  // An empty host in maintenance is no room.
  ended(await site.run('host', 'drain', 'pve2', '--yes'));
  const refused = await site.run('capacity', '--balance', '--yes');
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toContain('pve2 is drained: hosts are evened out when its nodes are back');
  ended(await site.run('host', 'return', 'pve2', '--yes'));
  await expectNothingToDo(site);
});
