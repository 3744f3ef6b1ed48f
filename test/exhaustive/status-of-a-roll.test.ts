/** What `status` says in the middle of a roll that was interrupted, and after the next run has finished it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 1 });
}, HOOK_MS);
afterAll(async () => {
  await herd.removeCopies();
  herd.remove();
});

it('says how far the upgrade came, who is away and what goes on', async () => {
  const site = await herd.copy();
  site.config = herd.with({ talos: 'v1.14.1' });
  const interrupt = new AbortController();
  site.signal = interrupt.signal;
  let released = 0;
  site.onPrint = (text) => {
    if (/✓ \S+ +wait until \S+ is Ready/.test(text)) released += 1;
    // The second one is drained and goes; nobody waits for it.
    if (released > 0 && /✓ \S+ +drain \S+/.test(text)) interrupt.abort();
  };
  expect((await site.run('apply', '--yes')).exit).not.toBe(0);
  site.onPrint = () => {};
  site.signal = undefined;

  const status = await site.run('status');
  expect(status.exit).toBe(3);
  expect(status.stdout).toMatch(/talos-versions: 1 of \d run v1\.14\.1 as in oxherd\.yaml, v1\.13\.9 on /);
  expect(status.stdout).toMatch(/run `oxherd (--lab )?apply`, which resumes/);
  expect(status.stdout).toMatch(/it is cordoned by a run of oxherd that is under way or was interrupted/);
  expect(status.stdout).toMatch(
    /run `oxherd (--lab )?apply`: it resumes there and uncordons the node when it is healthy/,
  );

  ended(await site.run('apply', '--yes'));
  expect(ended(await site.run('status'))).toMatch(/Healthy/);
});
