/** `host roll` of three hosts with a fault: at kinds of steps in turn, in test:full each fault at every step of the roll. */
import { expect, it } from 'vitest';
import { rollMeets, sweepRoll } from '../../support/host-fault-sweep.js';

it('local disks: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(3, 'local', 3);
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

it('a node that a run which was cut off has left off is moved on, though it keeps storage degraded', async () => {
  const fault = { fault: 'api-error', step: '1/migrate-vm:1520', subject: 'GET /cluster/resources' } as const;
  expect(await rollMeets(3, 'local', fault)).toEqual([]);
});
