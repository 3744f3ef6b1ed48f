/** Proxmox VE 8 becomes 9, host after host: nodes keep running, none is sent to an older host, HA waits for the last one. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { LabWorld } from '../../../src/lab/world.js';
import { ended } from '../../support/cli.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { onSharedStorage } from '../../support/shared-world.js';
import { keptData } from '../../support/watcher.js';

const HOOKS =
  'policy: { host: { before: "echo patching $OXHERD_HOST", after: "echo $OXHERD_HOST is back" } }';
const [OLD, NEW] = ['8.4.1', '9.2.11'];

function onOldHosts(world: LabWorld): LabWorld {
  const { hosts, ...rest } = onSharedStorage(world);
  return { ...rest, hosts: hosts.map((host) => ({ ...host, version: OLD })) };
}

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ more: HOOKS }, onOldHosts);
}, 300_000);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

function upgrade(site: ClusterSite, name: string): void {
  site.lab.proxmox.pve.db.hosts.update(name, (host) => ({ ...host, version: NEW }));
}

const ha = (site: ClusterSite) => [
  site.lab.proxmox.pve.db.haResources.size,
  site.lab.proxmox.pve.db.haRules.size,
];
const withHa = (text: string) => text.replace(/(\n {2}all: \{)/, '$1 ha: true,');
const hostOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;

it('all hosts are rolled from 8 to 9 by the hook while every node keeps running, and HA comes after the last', async () => {
  const site = await herd.copy();
  const before = keptData(site.lab);
  site.config = withHa(site.config);
  const old = ended(await site.run('plan', '--exit-code'));
  expect(old).toContain(
    `HA rules need Proxmox VE 9 on all hosts (pve1 runs ${OLD}, pve2 runs ${OLD}, pve3 runs ${OLD})`,
  );
  // Without rules HA would recover the VMs of a node to different hosts.
  expect(old).not.toContain('ha-manager');
  ended(await site.run('apply', '--yes'));
  expect(ha(site)).toEqual([0, 0]);

  const seen: string[] = [];
  site.onTell = (text) => {
    const host = /policy\.host\.before: patching (pve\d)/.exec(text)?.[1];
    if (host === undefined) return;
    upgrade(site, host);
    seen.push(host);
  };
  const rolled = await site.watch(['host', 'roll', 'pve1', '--yes'], { away: 0 });
  ended(rolled.result);
  const mixed = ended(await site.run('plan', '--exit-code'));
  expect(mixed).toContain(`HA rules need Proxmox VE 9 on all hosts (pve2 runs ${OLD}, pve3 runs ${OLD})`);
  expect(ha(site)).toEqual([0, 0]);
  const rest = await site.watch(['host', 'roll', 'pve2', 'pve3', '--yes'], { away: 0 });
  ended(rest.result);
  site.onTell = () => {};
  expect(seen).toEqual(['pve1', 'pve2', 'pve3']);
  expect([...rolled.report.violations, ...rest.report.violations]).toEqual([]);
  expect(rest.result.stderr).toContain('policy.host.after: pve3 is back');
  expect([141, 142, 143, 151, 152, 153].map((vmid) => hostOf(site, vmid))).toEqual([
    'pve1',
    'pve2',
    'pve3',
    'pve1',
    'pve2',
    'pve3',
  ]);

  ended(await site.run('apply', '--yes'));
  expect(ha(site)[0]).toBe(12);
  expect(ha(site)[1]).toBeGreaterThan(0);
  await expectNothingToDo(site);
  expect(keptData(site.lab)).toEqual(before);
});

it('no node runs on to an older host: a drain is refused, a return and a move stop it first', async () => {
  const site = await herd.copy();
  const before = keptData(site.lab);
  upgrade(site, 'pve1');
  const refused = await site.run('host', 'drain', 'pve1', '--yes');
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toContain(
    `pve2: it runs Proxmox VE ${OLD}, and VMs of ${NEW} do not move to an older one`,
  );

  // The maintenance of pve2 is called off after the drain: what went to pve1 cannot come back live.
  ended(await site.run('host', 'drain', 'pve2', '--yes'));
  const gone = [142, 152].filter((vmid) => hostOf(site, vmid) === 'pve1');
  expect(gone.length).toBeGreaterThan(0);
  const back = await site.watch(['host', 'return', 'pve2', '--yes']);
  expect(ended(back.result)).toContain(`it cannot move while it runs: pve2: it runs Proxmox VE ${OLD}`);
  expect(back.report.violations).toEqual([]);
  expect([...back.report.went].sort()).toEqual(gone);
  expect([142, 152].map((vmid) => hostOf(site, vmid))).toEqual(['pve2', 'pve2']);
  await expectNothingToDo(site);

  site.config = site.config.replace(/(work-1: \{ role: worker, host: )pve1/, '$1pve3');
  const moved = await site.watch(['apply', '--yes']);
  expect(ended(moved.result)).toContain(`it cannot move while it runs: pve3: it runs Proxmox VE ${OLD}`);
  expect([moved.report.violations, moved.report.went]).toEqual([[], [151]]);
  expect(hostOf(site, 151)).toBe('pve3');
  await expectNothingToDo(site);
  expect(keptData(site.lab)).toEqual(before);
});

it('a VM that HA looks after there is moved by HA, without rules', async () => {
  const site = await herd.copy();
  await site.byHand((hand) => hand.createHaResource('vm:152', { state: 'started' }));
  await site.lab.clock.sleep(60_000);
  await expectNothingToDo(site);
  const rolled = await site.watch(['host', 'roll', 'pve2', '--yes'], { away: 0 });
  ended(rolled.result);
  expect(rolled.report.violations).toEqual([]);
  expect([hostOf(site, 152), ...ha(site)]).toEqual(['pve2', 1, 0]);
});
