/** Two of five control planes lost with their one host. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended } from '../../support/cli.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { root } from '../../support/root-commands.js';
import { keptData } from '../../support/watcher.js';

let herd: RunningHerd;
beforeAll(async () => {
  // cp-1 and cp-4 on pve1, cp-2 and cp-5 on pve2, cp-3 on pve3.
  herd = await RunningHerd.build({ controlPlanes: 5, workers: 1, volumes: {} });
}, 300_000);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

async function die(site: ClusterSite, host: string): Promise<void> {
  site.lab.core.faults.set({ name: 'host-down', subject: host, countdown: null });
  await site.lab.clock.sleep(120_000);
  root(site, `pvecm delnode ${host}`);
}

async function lose(site: ClusterSite, host: string): Promise<void> {
  const first = await site.run('host', 'lost', host, '--confirm', host);
  const commands = first.stdout
    .split('\n')
    .flatMap((line) => /^ {2}(rm \/etc\/pve.*)$/.exec(line)?.[1] ?? []);
  expect(commands).toHaveLength(4);
  for (const command of commands) root(site, command);
  ended(await site.run('host', 'lost', host, '--confirm', host));
}

it('both on one host: their members leave one after the other, and both join again', async () => {
  const site = await herd.copy();
  const others = site.etcd[0]?.members.filter(({ name }) => !/cp-(2|5)/.test(name)).map(({ id }) => id);
  const before = keptData(site.lab);
  await die(site, 'pve2');
  await lose(site, 'pve2');
  const members = site.etcd[0]?.members ?? [];
  expect(members.map(({ name }) => name).sort()).toEqual(['cp-1', 'cp-2', 'cp-3', 'cp-4', 'cp-5']);
  expect(members.filter(({ id }) => others?.includes(id))).toHaveLength(3);
  expect(before.filter((one) => keptData(site.lab).includes(one))).toHaveLength(before.length - 2);
  await expectNothingToDo(site);
  expect(ended(await site.run('status'))).toContain('Healthy');
});
