/** `host roll` of five hosts with fault after fault: at kinds of steps in turn, in test:full each fault at every step. */
import { expect, it } from 'vitest';
import { sweepRoll } from '../../support/host-fault-sweep.js';

it('local disks: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(5, 'local', 6);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});

it('shared storage: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(5, 'shared', 6);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});
