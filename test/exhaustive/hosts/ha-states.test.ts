/** What HA does not do, and what others change in it: said before anything happens, with the command that ends it. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended } from '../../support/cli.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import { writesTo } from '../../support/lab-requests.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { root } from '../../support/root-commands.js';
import { onSharedStorage } from '../../support/shared-world.js';

const PATCHED = 'policy: { host: { before: "true" } }';
const pve = (site: ClusterSite) => site.lab.proxmox.pve;

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ more: PATCHED }, onSharedStorage);
}, 300_000);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

async function managed(ha: string): Promise<ClusterSite> {
  const site = await herd.copy();
  site.config = site.config.replace(/(\n {2}all: \{)/, `$1 ha: ${ha},`);
  ended(await site.run('apply', '--yes'));
  await site.lab.clock.sleep(60_000);
  return site;
}

it('a VM that HA has given up on: a drain is refused before it starts, and goes on once the error is cleared', async () => {
  const site = await managed('{ spread: false }');
  const service = pve(site).db.haServices.get('vm:152');
  if (!service) throw new Error('HA does not look after VM 152');
  pve(site).db.haServices.put('vm:152', { ...service, state: 'error' });
  const commands = ['disabled', 'started'].map((state) => `ha-manager set vm:152 --state ${state}`);
  const writes = writesTo(site.lab);
  const refused = await site.run('host', 'drain', 'pve2', '--yes');
  expect([refused.exit, writes]).toEqual([1, []]);
  const said = [refused.stdout, ended(await site.run('host', 'status')), ended(await site.run('plan'))];
  for (const text of said) {
    expect(text).toContain('HA has given up on VM 152 (state error)');
    for (const command of commands) expect(text.replace(/\s+/g, ' ')).toContain(command);
  }
  const [pve1, pve2] = JSON.parse(ended(await site.run('host', 'status', '--json')));
  expect([pve1.ha, pve2.ha]).toMatchObject([undefined, [{ node: 'work-2', vmid: 152, state: 'error' }]]);

  for (const command of commands) {
    root(site, command);
    await site.lab.clock.sleep(120_000);
  }
  ended(await site.run('host', 'drain', 'pve2', '--yes'));
  ended(await site.run('host', 'return', 'pve2', '--yes'));
  await expectNothingToDo(site);
});

it('a host is rolled twice in a row: a move that HA drops, since it has not seen the end of the last, is asked for again', async () => {
  const site = await herd.copy();
  await site.byHand((hand) => hand.createHaResource('vm:152', { state: 'started' }));
  await site.lab.clock.sleep(60_000);
  const begun = site.lab.clock.now();
  for (let round = 0; round < 2; round += 1) ended(await site.run('host', 'roll', 'pve2', '--yes'));
  expect(site.lab.clock.now() - begun).toBeLessThan(300_000);
});

it('resources and rules that others changed are drift, and are changed back', async () => {
  const site = await managed('{ hosts: [pve1, pve2, pve3], strict: true }');
  const rule = [...pve(site).db.haRules.values()].find((one) => one.rule.includes('hosts-'))?.rule ?? '';
  const before = [[...pve(site).db.haResources.values()], [...pve(site).db.haRules.values()]];
  await site.byHand(async (hand) => {
    await hand.updateHaResource('vm:151', { max_restart: '5', max_relocate: '3', comment: 'mine' });
    await hand.updateHaResource('vm:152', { state: 'ignored' });
    await hand.updateHaRule(rule, 'node-affinity', { nodes: 'pve1,pve3', delete: 'strict', comment: 'mine' });
    await hand.updateHaRule('oxherd_herd__spread', 'resource-affinity', { disable: '1' });
  });
  const drift = (await site.run('plan', '--drift-only')).stdout;
  for (const reason of [
    'max_restart 5 → 1',
    'max_relocate 3 → 1',
    'comment mine → kept by oxherd (herd)',
    'state ignored → started',
    'nodes pve1,pve3 → pve1,pve2,pve3',
    'strict 0 → 1',
    'disable 1 → 0',
  ])
    expect(drift).toContain(reason);
  expect(ended(await site.run('host', 'status'))).toContain('HA ignores VM 152 (state ignored)');
  ended(await site.run('apply', '--yes'));
  await expectNothingToDo(site);
  expect([[...pve(site).db.haResources.values()], [...pve(site).db.haRules.values()]]).toEqual(before);
});

it('a rule of others that contradicts is named and stays; the rest is applied', async () => {
  const site = await herd.copy();
  await site.byHand(async (hand) => {
    for (const vmid of [141, 142]) await hand.createHaResource(`vm:${vmid}`, { state: 'started' });
    await hand.createHaRule('together', 'resource-affinity', {
      resources: 'vm:141,vm:142',
      affinity: 'positive',
      disable: '1',
    });
    await hand.updateHaRule('together', 'resource-affinity', { delete: 'disable' });
  });
  site.config = site.config.replace(/(\n {2}all: \{)/, '$1 ha: true,');
  const applied = ended(await site.run('apply', '--yes'));
  expect(applied.replace(/\s+/g, ' ')).toContain(
    'HA rule together of others keeps vm:141, vm:142 together: oxherd_herd__spread is left as it is',
  );
  expect([...pve(site).db.haRules.values()].map(({ rule }) => rule).sort()).toEqual([
    ...[141, 142, 143, 151, 152, 153].map((vmid) => `oxherd_herd__pair-${vmid}`),
    'together',
  ]);
});
