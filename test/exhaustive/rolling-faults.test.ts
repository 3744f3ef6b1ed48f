/** A sample of what test/exhaustive tries at every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/lab/faults.js';
import { RunningHerd } from '../support/rolling.js';
import { meetsFault } from '../support/rolling-faults.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 1 });
}, HOOK_MS);
afterAll(() => herd.remove());

describe('new memory for 3 + 1 nodes', () => {
  it.each<[FaultName, number]>([
    ['task-fails', 3],
    ['machine-stuck', 5],
    ['drain-held', 10],
  ])('%s after step %i harms nobody, and the next run finishes', async (name, step) => {
    const outcome = await meetsFault(herd, { memory: '6GiB' }, name, step);
    expect(outcome).toMatchObject({ idle: false, problems: [] });
  });
});
