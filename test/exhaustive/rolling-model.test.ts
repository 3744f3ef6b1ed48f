/** Random changes, kills and faults one after the other, shrunk to the shortest sequence that goes wrong. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';
import { chosen } from '../support/shard.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, HOOK_MS);
afterAll(() => herd.remove());

/** Each seed is a walk of its own; a commit takes one of them. */
const SEEDS = [2026, 2027, 2028, 2029, 2030];
const RUNS = 16;

describe('random changes', () => {
  it.each(chosen(SEEDS, { exhaustive: 1 }))(
    'lose nothing and leave nothing to do (seed %i)',
    async (seed) => {
      const taken = await checkHerdModel(herd, { seed, runs: RUNS, commands: 10 });
      console.log(`random changes: ${taken} in ${RUNS} sequences of seed ${seed}`);
      expect(taken).toBeGreaterThan(30);
    },
  );
});
