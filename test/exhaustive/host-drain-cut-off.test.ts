/** A host that is drained and returns, each run interrupted between any two of its steps: it is resumed, and nothing is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { chosen } from '../support/shard.js';
import { keptData } from '../support/watcher.js';

const HOOK_MS = 300_000;
const DRAIN = ['host', 'drain', 'pve2', '--stay', 'work-2', '--yes'];
const RETURN = ['host', 'return', 'pve2', '--yes'];

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({});
}, HOOK_MS);
afterAll(() => herd.remove());

/** Ctrl-C once so many steps are done. */
async function interrupted(site: ClusterSite, args: readonly string[], steps: number): Promise<boolean> {
  const ctrlC = new AbortController();
  site.signal = ctrlC.signal;
  let seen = 0;
  site.onPrint = (text) => {
    seen += text.split('\n').filter((line) => /^\[ *\d+\/\d+\] /.test(line)).length;
    if (seen >= steps) ctrlC.abort();
  };
  const { exit } = await site.run(...args);
  site.signal = undefined;
  site.onPrint = () => {};
  return exit !== 0;
}

// One after the other, so that every share of them has both.
const POINTS = [DRAIN, RETURN].flatMap((args) =>
  Array.from({ length: 13 }, (_, index) => [args, index + 1] as const),
);

it.each(chosen(POINTS, { exhaustive: 7 }))('%j after %d steps', async (args, steps) => {
  const site = await herd.copy();
  const before = keptData(site.lab);
  if (args === RETURN) ended(await site.run(...DRAIN));
  const cut = await interrupted(site, args, steps);
  if (cut) ended(await site.run(...args));
  if (args === DRAIN) ended(await site.run(...RETURN));
  await expectNothingToDo(site);
  expect(ended(await site.run('status'))).toContain('Healthy');
  expect([...keptData(site.lab)].sort()).toEqual([...before].sort());
  const hosts = [142, 1420, 152, 1520].map((vmid) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host);
  expect(hosts).toEqual(['pve2', 'pve2', 'pve2', 'pve2']);
  await herd.removeCopies();
});
