/** `host roll` of three hosts with a fault: at kinds of steps in turn, in test:full each fault at every step of the roll. */
import { expect, it } from 'vitest';
import { sweepRoll } from '../../support/host-fault-sweep.js';

it('local disks: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(3, 'local', 4);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});

it('shared storage: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(3, 'shared', 4);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});
