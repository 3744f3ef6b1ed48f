/** Runs the cases of situations: every read failing, one at a time, and every list shortened. */
import { RememberedReads } from '../remembered-reads.js';
import { isRemembered, remember } from '../shard.js';
import { isKnown } from './known-failures.js';
import { ReadBench, type ReadCase } from './read-bench.js';
import type { ReadSituation, ReadState } from './read-situations.js';
import { type ProxmoxView, ShortenedLists } from './shortened-lists.js';

export interface ReadRun {
  situations: number;
  reads: number;
  cases: number;
  known: number;
  readonly wrong: string[];
}

/** A situation with the state it is planned on. */
export type Placed = readonly [ReadState, ReadSituation];

export function placed(states: readonly ReadState[]): Placed[] {
  return states.flatMap((state) => state.situations.map((situation): Placed => [state, situation]));
}

/** Every so many cases of a situation, from a place that differs between situations. */
export async function runReads(pairs: readonly Placed[], step = 1): Promise<ReadRun> {
  const run: ReadRun = { situations: 0, reads: 0, cases: 0, known: 0, wrong: [] };
  const open = pairs.filter(([state, { name }]) => !isRemembered(keyOf(state, name)));
  for (const state of new Set(open.map(([one]) => one))) {
    const own = open.flatMap(([one, situation]) => (one === state ? [situation] : []));
    await runState(state, own, step, run);
  }
  return run;
}

const keyOf = (state: ReadState, situation: string) => `reads ${state.name} | ${situation}`;

async function runState(
  state: ReadState,
  situations: readonly ReadSituation[],
  step: number,
  run: ReadRun,
): Promise<void> {
  const cluster = await state.open();
  // Nothing changes the cluster: what was read for one file is read for all.
  const reads = new RememberedReads();
  const built = cluster.config;
  const shortened = new ShortenedLists(cluster);
  try {
    for (const { name, text = built, request } of situations) {
      cluster.config = text;
      const before = run.wrong.length;
      await cluster.connected(async (site, context) => {
        const bench = await ReadBench.open({ site, context }, reads, request);
        const cases = [...bench.cases(), ...viewCases(bench, shortened.views())];
        const chosen = cases.filter((_, index) => (index + run.situations) % step === 0);
        run.situations += 1;
        run.reads += bench.readCount;
        run.cases += chosen.length;
        for (const one of chosen) await runCase(`${state.name} | ${name} | ${one.name}`, one, run);
      });
      if (run.wrong.length === before) await remember(keyOf(state, name));
    }
  } finally {
    await shortened.close();
    await cluster.remove();
  }
}

function viewCases(bench: ReadBench, views: readonly ProxmoxView[]): ReadCase[] {
  return views.map((view) => ({ name: view.name, run: () => bench.throughView(view) }));
}

async function runCase(name: string, one: ReadCase, run: ReadRun): Promise<void> {
  const wrong = await one.run();
  if (wrong.length === 0) return;
  if (wrong.every((line) => isKnown(name, line))) {
    run.known += 1;
    return;
  }
  const line = `${name}\n    ${wrong.join('\n    ')}`;
  run.wrong.push(line);
  process.stderr.write(`${line}\n`);
}

export function saidOf({ situations, reads, cases, known, wrong }: ReadRun): string {
  return `${situations} situations, ${reads} reads, ${cases} cases, ${wrong.length} wrong, ${known} known\n`;
}
