/** A host that is drained and returns, with faults at kinds of steps; in test:full each fault at every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Occasion } from '../../src/session/rehearse/occasions.js';
import { nameOf } from '../support/fault-sweep.js';
import { type HostRun, hostMeetsFault, hostOccasions } from '../support/host-faults.js';
import { RunningHerd } from '../support/rolling.js';
import { chosen, remembered, tier } from '../support/shard.js';

const DRAIN = ['host', 'drain', 'pve2', '--stay', 'work-2', '--yes'];
const RETURN = ['host', 'return', 'pve2', '--yes'];
const RUNS: Readonly<Record<string, HostRun>> = {
  drain: { before: [], run: DRAIN, after: [RETURN] },
  return: { before: [DRAIN], run: RETURN, after: [] },
};

/** Of each run in test:exhaustive: about a minute. */
const AT_ONCE = 3;

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({});
}, 300_000);
afterAll(() => herd.remove());

/** A sample of the first occasions for each fault at each kind of step; all occasions in test:full. */
function choose(all: readonly Occasion[]): Occasion[] {
  if (tier() === 'full') return chosen(all, {});
  const firsts = new Map<string, Occasion>();
  for (const occasion of all) {
    const key = `${occasion.fault} ${occasion.step.id.split(':')[0]}`;
    if (!firsts.has(key)) firsts.set(key, occasion);
  }
  // Spread over all of them, the same in every run.
  const step = Math.ceil(firsts.size / AT_ONCE);
  return [...firsts.values()].filter((_, index) => index % step === 0);
}

describe('a fault while a host is maintained', () => {
  it.each(Object.keys(RUNS))('during its %s does no harm, and the same command resumes it', async (name) => {
    const run = RUNS[name];
    if (!run) throw new Error(`there is no run ${name}`);
    const occasions = await hostOccasions(herd, run);
    const wrong: string[] = [];
    for (const occasion of choose(occasions)) {
      const problems = await remembered(`host ${name} ${nameOf(occasion)}`, () =>
        hostMeetsFault(herd, run, occasion),
      );
      if (problems.length > 0) wrong.push(`${nameOf(occasion)}: ${problems.join('; ')}`);
    }
    expect(wrong).toEqual([]);
    expect(occasions.length).toBeGreaterThan(40);
  });
});
