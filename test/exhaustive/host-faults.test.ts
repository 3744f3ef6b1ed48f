/** A host that is drained and returns, with faults at kinds of steps; in test:full each fault at every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepHosts } from '../support/host-fault-sweep.js';
import type { HostRun } from '../support/host-faults.js';
import { RunningHerd } from '../support/rolling.js';

const DRAIN = ['host', 'drain', 'pve2', '--stay', 'work-2', '--yes'];
const RETURN = ['host', 'return', 'pve2', '--yes'];
const RUNS: readonly (readonly [string, HostRun])[] = [
  ['drain', { before: [], run: DRAIN, resume: () => [DRAIN, RETURN], away: 2 }],
  ['return', { before: [DRAIN], run: RETURN, resume: () => [RETURN], away: 2 }],
];

/** Of each run in test:exhaustive: about a minute. */
const AT_ONCE = 3;

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({});
}, 300_000);
afterAll(() => herd.remove());

describe('a fault while a host is maintained', () => {
  it.each(RUNS)('during its %s does no harm, and the same command resumes it', async (name, run) => {
    const { occasions, wrong } = await sweepHosts(name, herd, run, AT_ONCE);
    expect(wrong).toEqual([]);
    expect(occasions).toBeGreaterThan(40);
  });
});
