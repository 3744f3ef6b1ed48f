/** A sample of the reads that fail; test/exhaustive has all of them. */
import { describe, expect, it } from 'vitest';
import { placed, runReads, saidOf } from '../support/reads/read-runs.js';
import { SMALL_STATES } from '../support/reads/read-situations.js';

const ONE_IN = 5;

describe('a plan with a read that fails', () => {
  it('has no step that the whole observation does not lead to, and claims nothing', async () => {
    const run = await runReads(placed(SMALL_STATES), ONE_IN);
    process.stderr.write(`reads: ${saidOf(run)}`);
    expect(run.wrong).toEqual([]);
    expect(run.cases).toBeGreaterThan(60);
  });
});
