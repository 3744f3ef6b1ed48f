/** A few of the faults, and a few of the random changes, that test/exhaustive tries in great number. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweep } from '../support/fault-sweep.js';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';
import { ROLLING_KINDS } from '../support/rolling-kinds.js';

const SEED = 11;
const FAULTY_RUNS = 1;
const HOOK_MS = 120_000;

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, HOOK_MS);
afterAll(() => herd.remove());

describe('3 + 2 nodes', () => {
  it('get new memory in spite of faults, or say why not and get it from the next run', async () => {
    const some = { minLength: FAULTY_RUNS, maxLength: FAULTY_RUNS };
    const { runs, wrong } = await sweep(herd, ROLLING_KINDS.memory, {
      choose: (all) => fc.sample(fc.shuffledSubarray([...all], some), { seed: SEED, numRuns: 1 })[0] ?? [],
    });
    expect({ runs, wrong }).toEqual({ runs: FAULTY_RUNS, wrong: [] });
  });

  it('lose nothing by random changes', async () => {
    const taken = await checkHerdModel(herd, { seed: SEED, runs: 1, commands: 2 });
    expect(taken).toBeGreaterThan(0);
  });
});
