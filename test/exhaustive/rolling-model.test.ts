/** Random changes, kills and faults one after the other, shrunk to the shortest sequence that goes wrong. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHerdModel } from '../support/herd-model-run.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, HOOK_MS);
afterAll(() => herd.remove());

describe('random changes', () => {
  it('lose nothing and leave nothing to do', async () => {
    const taken = await checkHerdModel(herd, { seed: 2026, runs: 16, commands: 10 });
    console.log(`random changes: ${taken} in 16 sequences`);
    expect(taken).toBeGreaterThan(30);
  });
});
