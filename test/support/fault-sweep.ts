/** Runs one kind of change with many faults, each at many steps, and counts. */
import { setTimeout as wait } from 'node:timers/promises';
import { FAULTS, type FaultName } from '../../src/lab/faults.js';
import type { Occasion } from '../../src/session/rehearse/chaos/occasions.js';
import type { Herd } from './herd.js';
import type { RunningHerd } from './rolling.js';
import { meetsFault, occasionsOf } from './rolling-faults.js';
import { remembered } from './shard.js';
import type { Limits } from './watcher.js';

export interface Sweep {
  readonly runs: number;
  /** Occasions that were found; this tier takes some of them. */
  readonly occasions: number;
  readonly steps: number;
  readonly faults: readonly FaultName[];
  /** Faults that nothing in such a change gives an occasion. */
  readonly idle: readonly FaultName[];
  /** Runs that ended stopped, to be gone on with. */
  readonly stopped: number;
  readonly wrong: readonly string[];
}

export interface SweepOptions {
  readonly choose?: (occasions: readonly Occasion[]) => readonly Occasion[];
  /** What may be seen meanwhile, apart from what the faults themselves take away. */
  readonly limits?: Partial<Limits>;
}

export async function sweep(
  herd: RunningHerd,
  change: Herd,
  { choose = (all) => all, limits = {} }: SweepOptions = {},
): Promise<Sweep> {
  const occasions = await occasionsOf(herd, change);
  const wrong: string[] = [];
  let runs = 0;
  let stopped = 0;
  const chosen = choose(occasions);
  for (const occasion of chosen) {
    const problems = await remembered(`fault ${JSON.stringify(change)} ${nameOf(occasion)}`, async () => {
      const outcome = await meetsFault(herd, change, occasion, limits);
      if (outcome.exit !== 0) stopped += 1;
      return outcome.problems;
    });
    runs += 1;
    if (problems.length > 0) {
      wrong.push(`${nameOf(occasion)}: ${problems.join('; ')}`);
      // At once as well: a sweep is long.
      process.stderr.write(`${wrong.at(-1)}\n`);
    }
    // A turn for the test runner, which wants to hear from us.
    await wait(0);
  }
  const faults = [...new Set(chosen.map(({ fault }) => fault))];
  return {
    runs,
    occasions: occasions.length,
    steps: new Set(chosen.map(({ step }) => step.id)).size,
    faults,
    idle: (Object.keys(FAULTS) as FaultName[]).filter((name) => !faults.includes(name)),
    stopped,
    wrong,
  };
}

export function nameOf({ fault, step, subject }: Occasion): string {
  return `${fault}${subject === '' ? '' : `=${subject}`} in ${step.id}`;
}
