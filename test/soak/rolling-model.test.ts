/** Random changes one after the other, shrunk to the shortest sequence that goes wrong. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, 600_000);
afterAll(() => herd.remove());

const RUNS = 25;

describe('random changes', () => {
  it('lose nothing and leave nothing to do', async () => {
    await checkHerdModel(herd, { seed: 2026, runs: RUNS, commands: 12 });
    console.log(`${RUNS} sequences of up to 12 changes`);
  });
});
