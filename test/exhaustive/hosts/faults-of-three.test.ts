/** `host roll` of three hosts with fault after fault: at kinds of steps in turn, in test:full each fault at every step. */
import { expect, it } from 'vitest';
import type { Occasion } from '../../../src/session/rehearse/chaos/occasions.js';
import { rollThrough } from '../../support/host-fault-chain.js';
import { rollMeets, sweepRoll } from '../../support/host-fault-sweep.js';
import { RackOfHosts } from '../../support/host-roll.js';

it('local disks: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(3, 'local', 6);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});

it('shared storage: no harm is done, and the roll is resumed', async () => {
  const { occasions, runs, wrong } = await sweepRoll(3, 'shared', 6);
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(occasions).toBeGreaterThan(100);
});

it('a node that a run which was cut off has left off is moved on, though it keeps storage degraded', async () => {
  const fault = { fault: 'api-error', step: '1/migrate-vm:1520', subject: 'GET /cluster/resources' } as const;
  expect(await rollMeets(3, 'local', fault)).toEqual([]);
});

it('a node that was off when the second run began is told its host by the third', async () => {
  const rack = await RackOfHosts.build(3, 'local');
  const at = (step: string, subject: string): Occasion => ({
    fault: 'api-error',
    step: { id: `2/${step}`, node: '', vmid: 0, host: '' },
    subject,
    kind: 'blow',
  });
  const faults = [
    at('start-vm:142', 'GET /nodes/pve2/qemu/142/status/current'),
    at('unmark-drained:1520', 'GET /nodes/pve2/qemu/1520/pending'),
  ];
  const { wrong, struck } = await rollThrough(rack, ['pve2'], faults);
  expect(wrong).toEqual([]);
  expect(struck).toEqual(faults);
});
