/** A sample of the reads that fail and of files with less in them; test/exhaustive has all of them. */
import { describe, expect, it } from 'vitest';
import { falseAlarms } from '../support/reads/false-alarms.js';
import { runLeft } from '../support/reads/left-file.js';
import { placed, runReads, saidOf } from '../support/reads/read-runs.js';
import { SMALL_STATES } from '../support/reads/read-situations.js';

const ONE_IN = 8;

describe('a plan', () => {
  it('with a read that fails has no step that the whole observation does not lead to, and claims nothing', async () => {
    const run = await runReads(placed(SMALL_STATES), ONE_IN);
    process.stderr.write(`reads: ${saidOf(run)}`);
    expect(run.wrong).toEqual([]);
    expect(run.cases).toBeGreaterThan(60);
  });

  it('without a node or a volume in oxherd.yaml bootstraps, resets and releases nothing', async () => {
    const { plans, wrong } = await runLeft(SMALL_STATES, 3);
    expect(wrong).toEqual([]);
    expect(plans).toBeGreaterThan(20);
  });

  it('is the same for the documented token and for a token with rights on its pool', async () => {
    const { plans, wrong } = await falseAlarms(SMALL_STATES, 2);
    expect(wrong).toEqual([]);
    expect(plans).toBeGreaterThan(4);
  });
});
