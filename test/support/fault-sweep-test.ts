/** The test of one kind of change with every fault at every step; one file each, so that they run side by side. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Occasion } from '../../src/session/rehearse/chaos/occasions.js';
import { type Sweep, sweep } from './fault-sweep.js';
import { RunningHerd } from './rolling.js';
import { ROLLING_KINDS, type RollingKind } from './rolling-kinds.js';
import { chosen } from './shard.js';

/** Three control planes and a worker; 3 + 3 are rolled without faults. */
const HERD = { workers: 1 };
/** Of one kind of change in test:exhaustive: about two minutes. */
const FAULTS_AT_ONCE = 30;
const HOOK_MS = 300_000;

export function sweepTest(kind: RollingKind, leastOccasions: number): void {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build(HERD);
  }, HOOK_MS);
  afterAll(() => herd.remove());

  describe(`a change of ${kind} that meets each fault at each occasion of each step`, () => {
    it('harms nobody, ends or stops with true words, and is finished by the next run', async () => {
      const choose = (all: readonly Occasion[]) => chosen(all, { exhaustive: FAULTS_AT_ONCE });
      expectNothingWrong(kind, await sweep(herd, ROLLING_KINDS[kind], { choose }), leastOccasions);
    });
  });
}

export function expectNothingWrong(
  what: string,
  { runs, occasions, steps, faults, idle, stopped, wrong }: Sweep,
  leastOccasions: number,
): void {
  console.log(
    `${what}: ${runs} runs at ${occasions} occasions with ${faults.length} faults over ${steps} steps, ${stopped} of them stopped; no occasion for ${idle.join(', ')}`,
  );
  expect(wrong).toEqual([]);
  // A sweep that finds no occasions would find no errors either.
  expect(occasions).toBeGreaterThanOrEqual(leastOccasions);
  expect(runs).toBeGreaterThan(0);
}
