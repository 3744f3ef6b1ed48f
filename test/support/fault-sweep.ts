/** Runs one kind of change with many faults, each at many steps, and counts. */
import { setTimeout as wait } from 'node:timers/promises';
import { FAULTS, type FaultName } from '../../src/lab/faults.js';
import type { Occasion } from './fault-occasions.js';
import type { RunningHerd } from './rolling.js';
import { meetsFault, occasionsOf } from './rolling-faults.js';
import { ROLLING_KINDS, type RollingKind } from './rolling-kinds.js';

export interface Sweep {
  readonly runs: number;
  readonly steps: number;
  readonly faults: readonly FaultName[];
  /** Faults that nothing in such a change gives an occasion. */
  readonly idle: readonly FaultName[];
  /** Runs that ended stopped, to be gone on with. */
  readonly stopped: number;
  readonly wrong: readonly string[];
}

export async function sweep(
  herd: RunningHerd,
  kind: RollingKind,
  choose: (occasions: readonly Occasion[]) => readonly Occasion[] = (all) => all,
): Promise<Sweep> {
  const change = ROLLING_KINDS[kind];
  const occasions = await occasionsOf(herd, change);
  const wrong: string[] = [];
  let runs = 0;
  let stopped = 0;
  const chosen = choose(occasions);
  for (const occasion of chosen) {
    const { exit, problems } = await meetsFault(herd, change, occasion);
    runs += 1;
    if (exit !== 0) stopped += 1;
    if (problems.length > 0) wrong.push(`${nameOf(occasion)}: ${problems.join('; ')}`);
    // A turn for the test runner, which wants to hear from us.
    await wait(0);
  }
  const faults = [...new Set(occasions.map(({ fault }) => fault))];
  return {
    runs,
    steps: new Set(occasions.map(({ step }) => step.id)).size,
    faults,
    idle: (Object.keys(FAULTS) as FaultName[]).filter((name) => !faults.includes(name)),
    stopped,
    wrong,
  };
}

export function nameOf({ fault, step, subject }: Occasion): string {
  return `${fault}${subject === '' ? '' : `=${subject}`} in ${step.id}`;
}
