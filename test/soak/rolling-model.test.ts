/** As test/exhaustive/rolling-model.test.ts, longer and with another seed each time. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, 600_000);
afterAll(() => herd.remove());

const RUNS = 60;

describe('random changes', () => {
  it('lose nothing and leave nothing to do', async () => {
    const seed = Date.now() % 1_000_000;
    console.log(`random changes: seed ${seed}`);
    const taken = await checkHerdModel(herd, { seed, runs: RUNS, commands: 12 });
    console.log(`random changes: ${taken} in ${RUNS} sequences`);
  });
});
