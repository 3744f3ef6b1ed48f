/** HA resources and rules: created, changed, removed, drift shown; what HA does by itself is followed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { root } from '../support/root-commands.js';
import { onSharedStorage } from '../support/shared-world.js';
import { keptData } from '../support/watcher.js';

const HOOK_MS = 300_000;
const PATCHED = 'policy: { host: { before: "true" } }';
const pve = (site: ClusterSite) => site.lab.proxmox.pve;
const hostOf = (site: ClusterSite, vmid: number) => pve(site).db.vms.get(String(vmid))?.host;
const resourcesOf = (site: ClusterSite) =>
  Object.fromEntries([...pve(site).db.haResources.values()].map(({ sid, state }) => [sid, state]));
const rulesOf = (site: ClusterSite) =>
  Object.fromEntries(
    [...pve(site).db.haRules.values()].map(({ rule, resources }) => [rule, resources.join()]),
  );
const withHa = (text: string, ha: string) => text.replace(/(\n {2}all: \{)/, `$1 ha: ${ha},`);

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ more: PATCHED }, onSharedStorage);
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

async function managed(ha = 'true'): Promise<ClusterSite> {
  const site = await herd.copy();
  site.config = withHa(site.config, ha);
  ended(await site.run('apply', '--yes'));
  await site.lab.clock.sleep(60_000);
  return site;
}

describe('HA of a node group', () => {
  it('is created without a restart, kept, changed and removed', async () => {
    const site = await herd.copy();
    const before = keptData(site.lab);
    site.config = withHa(site.config, 'true');
    const { result, report } = await site.watch(['apply', '--yes'], { away: 0 });
    ended(result);
    expect(report.violations).toEqual([]);
    expect(resourcesOf(site)).toMatchObject({
      'vm:141': 'started',
      'vm:1410': 'stopped',
      'vm:153': 'started',
    });
    expect(Object.keys(resourcesOf(site))).toHaveLength(12);
    expect(rulesOf(site)).toMatchObject({
      oxherd_herd__spread: 'vm:141,vm:142,vm:143',
      'oxherd_herd__pair-151': 'vm:151,vm:1510',
    });
    await expectNothingToDo(site);
    await site.lab.clock.sleep(120_000);
    expect(keptData(site.lab)).toEqual(before);
    expect(pve(site).db.vms.get('1410')?.running).toBeUndefined();

    await site.byHand(async (hand) => {
      await hand.updateHaResource('vm:151', { state: 'ignored' });
      await hand.deleteHaRule('oxherd_herd__spread');
    });
    const drift = await site.run('plan', '--drift-only');
    expect(drift.stdout).toContain('state ignored → started');
    const plan = await site.run('plan');
    expect(plan.stdout).toContain('create HA rule oxherd_herd__spread');
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);

    site.config = withHa(herd.with({}), '{ hosts: [pve1, pve2, pve3], strict: true, spread: false }');
    ended(await site.run('apply', '--yes'));
    expect(Object.keys(rulesOf(site)).filter((rule) => /spread|hosts-/.test(rule))).toHaveLength(1);
    await expectNothingToDo(site);

    site.config = herd.with({});
    ended(await site.run('apply', '--yes'));
    expect([resourcesOf(site), rulesOf(site)]).toEqual([{}, {}]);
    await expectNothingToDo(site);
  });

  it('of others is left alone', async () => {
    const site = await herd.copy();
    await site.byHand((hand) => hand.createHaResource('vm:151', { state: 'started', comment: 'by hand' }));
    await expectNothingToDo(site);
    expect(resourcesOf(site)).toEqual({ 'vm:151': 'started' });
  });

  it('a restart and a removed node go through HA', async () => {
    const site = await managed('{ spread: false }');
    ended(await site.run('restart', 'work-1', '--yes'));
    expect(resourcesOf(site)['vm:151']).toBe('started');
    site.config = site.config
      .split('\n')
      .filter((line) => !/^ {2}work-3:/.test(line))
      .join('\n');
    ended(await site.run('apply', '--yes'));
    expect(pve(site).db.vms.has('153')).toBe(false);
    expect(Object.keys(resourcesOf(site))).toHaveLength(10);
    await expectNothingToDo(site);
    ended(await site.run('destroy', '--yes'));
    expect(resourcesOf(site)).toEqual({});
  });

  it('needs disks on shared storage, and hosts enough for the spread', async () => {
    const site = await herd.copy();
    site.config = withHa(site.config, '{ hosts: [pve1, pve2], strict: true }');
    const refused = await site.run('plan');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toContain('3 control planes are to be kept apart on pve1, pve2 alone');
  });

  it('hosts are drained and rolled with it: workers move live, control planes that HA keeps apart stay', async () => {
    const site = await managed();
    const { result, report } = await site.watch(['host', 'drain', 'pve2', '--yes']);
    ended(result);
    expect(report.violations).toEqual([]);
    expect(result.stdout).toContain('HA keeps VM 142 apart from VM 141, which is there');
    expect(hostOf(site, 152)).not.toBe('pve2');
    expect(hostOf(site, 1520)).toBe(hostOf(site, 152));
    expect(resourcesOf(site)['vm:142']).toBe('stopped');
    await expectNothingToDo(site);
    ended(await site.run('host', 'return', 'pve2', '--yes'));
    await site.lab.clock.sleep(60_000);
    await expectNothingToDo(site);
    expect([142, 152, 1520].map((vmid) => hostOf(site, vmid))).toEqual(['pve2', 'pve2', 'pve2']);
    expect(ended(await site.run('status'))).toContain('Healthy');
  });

  it('a node that HA recovers is followed with its data VM', async () => {
    const site = await managed('{ spread: false }');
    const before = keptData(site.lab);
    pve(site).core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    await site.lab.clock.sleep(400_000);
    for (const vmid of [142, 1420, 152, 1520]) expect(hostOf(site, vmid)).not.toBe('pve2');
    const lost = ended(await site.run('host', 'lost', 'pve2', '--confirm', 'pve2'));
    expect(lost).not.toContain('As root');
    root(site, 'pvecm delnode pve2');
    await expectNothingToDo(site);
    expect(ended(await site.run('status'))).toContain('Healthy');
    expect(keptData(site.lab)).toEqual(before);
  });
});

describe('a live migration by HA', () => {
  it('that fails ends with the reason of its task, not after 30 minutes of requests', async () => {
    const site = await managed();
    const begun = site.lab.clock.now();
    site.lab.core.faults.set({ name: 'task-fails', subject: 'qmigrate', countdown: null });
    const drained = await site.run('host', 'drain', 'pve2', '--yes');
    site.lab.core.faults.clear('task-fails');
    expect(drained.exit).toBe(1);
    expect(drained.stdout).toMatch(/VM 1[45]2 stays on pve2: .*task-fails/);
    expect(site.lab.clock.now() - begun).toBeLessThan(15 * 60_000);
    expect(hostOf(site, 152)).toBe('pve2');
    ended(await site.run('host', 'drain', 'pve2', '--yes'));
    ended(await site.run('host', 'return', 'pve2', '--yes'));
  });
});
