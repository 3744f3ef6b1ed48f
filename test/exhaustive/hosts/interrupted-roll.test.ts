/** Ctrl-C in `host roll`, within a run and between two: it says where it stands, and what it prints resumes it. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended } from '../../support/cli.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { onSharedStorage } from '../../support/shared-world.js';

const HOOKS =
  'policy: { host: { before: "echo patching $OXHERD_HOST", after: "echo $OXHERD_HOST is back" } }';

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ more: HOOKS }, onSharedStorage);
}, 300_000);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

/** Ctrl-C as soon as what the roll says contains this so many times. */
async function interrupted(site: ClusterSite, text: string, times: number): Promise<string> {
  const ctrlC = new AbortController();
  site.signal = ctrlC.signal;
  let heard = '';
  const hear = (piece: string) => {
    heard += piece;
    if (heard.split(text).length > times) ctrlC.abort();
  };
  site.onPrint = hear;
  site.onTell = hear;
  const { exit, stdout, stderr } = await site.run('host', 'roll', 'pve2', 'pve3', '--yes');
  site.signal = undefined;
  site.onPrint = () => {};
  site.onTell = () => {};
  expect(exit).toBe(130);
  return stdout + stderr;
}

/** Both commands of `a && b`, as they were printed. */
async function resume(site: ClusterSite, said: string): Promise<readonly string[]> {
  const commands = /resume with: (.*)/.exec(said)?.[1]?.split(' && ') ?? [];
  for (const command of commands)
    ended(await site.run(...command.replace('oxherd --lab ', '').split(' '), '--yes'));
  return commands;
}

const CASES: readonly (readonly [string, number, string, string])[] = [
  ['✓', 3, 'Interrupted. 3 done', 'host roll pve2 pve3'],
  ['Done.', 1, 'pve2 is drained.', 'host roll pve2 pve3'],
  ['patching pve2', 1, 'pve2 is drained.', 'host roll pve2 pve3'],
  ['pve2 is back', 1, 'pve2 is drained and patched.', 'host return pve2 && oxherd --lab host roll pve3'],
  ['Done.', 2, 'Interrupted. 0 done', 'host roll pve3'],
];

it.each(CASES)('after %j (%d): %s', async (text, times, standing, command) => {
  const site = await herd.copy();
  const said = await interrupted(site, text, times);
  expect(said).toContain(standing);
  expect(said).toContain(`resume with: oxherd --lab ${command}`);
  expect((await resume(site, said)).length).toBeGreaterThan(0);
  await expectNothingToDo(site);
  const hosts = [142, 152, 143, 153].map((vmid) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host);
  expect(hosts).toEqual(['pve2', 'pve2', 'pve3', 'pve3']);
});

it('of a return that waits for its host', async () => {
  const site = await herd.copy();
  ended(await site.run('host', 'drain', 'pve2', '--yes'));
  site.lab.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
  const ctrlC = new AbortController();
  site.signal = ctrlC.signal;
  site.onTell = (piece) => piece.includes('waiting') && ctrlC.abort();
  const { exit, stdout } = await site.run('host', 'return', 'pve2', '--yes', '--json');
  expect(exit).toBe(130);
  expect(JSON.parse(stdout.trim())).toEqual({
    type: 'interrupted',
    message: 'The nodes of pve2 are not back yet',
    resume: 'oxherd --lab host return pve2',
  });
});
