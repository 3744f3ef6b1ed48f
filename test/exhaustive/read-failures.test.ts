/** Every read of an observation fails, one at a time: nothing is planned over it, and no verdict covers it. */
import { expect, it } from 'vitest';
import { placed, runReads, saidOf } from '../support/reads/read-runs.js';
import { READ_STATES } from '../support/reads/read-situations.js';
import { chosen } from '../support/shard.js';

it('no step that the whole observation does not lead to, no "No changes", not Healthy', async () => {
  const pairs = placed(READ_STATES);
  expect(pairs.length).toBeGreaterThan(60);
  const run = await runReads(chosen(pairs, { exhaustive: 8 }));
  process.stderr.write(`reads: ${saidOf(run)}`);
  expect(run.wrong).toEqual([]);
});
