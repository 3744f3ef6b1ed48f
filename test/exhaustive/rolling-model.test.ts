/** A few random changes one after the other; test/exhaustive has many. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 1 });
}, HOOK_MS);
afterAll(() => herd.remove());

describe('random changes', () => {
  it('lose nothing and leave nothing to do', () => checkHerdModel(herd, { seed: 11, runs: 1, commands: 4 }));
});
