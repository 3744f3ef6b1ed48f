/** A process that is suspended while Talos tries a config; every request of ten changes is in test/exhaustive. */
import { expect, it } from 'vitest';
import { herdOf, PAUSED_CHANGES, pauseProblems } from '../support/pauses.js';

it('suspended for longer than the try, makes no reverted config permanent; the next apply converges', async () => {
  const tried = PAUSED_CHANGES['tried config'];
  if (!tried) throw new Error('no such change');
  // A node less: this is the sample for every run of the tests.
  const change = { ...tried, first: { ...tried.first, workers: 0 } };
  const running = await herdOf(change);
  const suspension = { at: 'ApplyConfiguration', ms: 600_000, way: 'stopped' } as const;
  expect(await pauseProblems(running, change, suspension)).toEqual([]);
  running.remove();
});
