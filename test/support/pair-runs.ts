/** Pairs of edits, planned and applied; what went wrong is said by name. */
import type { Pair } from './edit-catalogue.js';
import { pairName } from './edit-catalogue.js';
import type { PairBench } from './pair-bench.js';
import { remembered } from './shard.js';

export interface PairCounts {
  readonly pairs: number;
  readonly refused: number;
  readonly wrong: readonly string[];
}

/** Each plan is refused for a reason that the user can do something about, or passes its check. */
export async function planAll(bench: PairBench, pairs: readonly Pair[]): Promise<PairCounts> {
  const wrong: string[] = [];
  let refused = 0;
  for (const pair of pairs) {
    const { problems } = await bench.plan(pair);
    if (problems.length > 0) refused += 1;
    const unsafe = problems.find((problem) => problem.code === 'plan-unsafe');
    if (unsafe) tell(wrong, `${pairName(pair)}: ${unsafe.message}`);
  }
  return { pairs: pairs.length, refused, wrong };
}

/** Each is refused with nothing changed, or converges in one apply. */
export async function applyAll(bench: PairBench, pairs: readonly Pair[]): Promise<PairCounts> {
  const wrong: string[] = [];
  let refused = 0;
  for (const pair of pairs) {
    const name = pairName(pair);
    const problems = await remembered(`pair ${name}`, async () => {
      const outcome = await bench.apply(pair);
      if (outcome.kind === 'refused') refused += 1;
      return outcome.wrong;
    });
    if (problems.length > 0) tell(wrong, `${name}: ${problems.join('\n    ')}`);
  }
  return { pairs: pairs.length, refused, wrong };
}

/** At once as well: a long run is looked at before its end. */
function tell(wrong: string[], what: string): void {
  wrong.push(what);
  process.stderr.write(`${what}\n`);
}

export function say(what: string, { pairs, refused, wrong }: PairCounts): void {
  process.stderr.write(`${what}: ${pairs} pairs, ${refused} refused, ${wrong.length} wrong\n`);
}
