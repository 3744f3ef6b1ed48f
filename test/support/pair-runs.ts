/** Pairs of edits, planned and applied; what went wrong is said by name. */
import { OxherdError } from '../../src/model/error.js';
import type { Pair } from './edit-catalogue.js';
import { pairName } from './edit-catalogue.js';
import type { PairBench } from './pair-bench.js';
import { rememberedOutcome } from './shard.js';

export interface PairCounts {
  readonly pairs: number;
  readonly refused: number;
  readonly wrong: readonly string[];
}

/** Each plan is refused for a reason that the user can do something about, or passes its check. */
export async function planAll(bench: PairBench, pairs: readonly Pair[]): Promise<PairCounts> {
  const counter = new Counter(pairs.length);
  for (const pair of pairs) counter.count(pairName(pair), await planned(bench, pair));
  return counter.counts();
}

async function planned(bench: PairBench, pair: Pair): Promise<Outcome> {
  try {
    const { problems } = await bench.plan(pair);
    const unsafe = problems.find((problem) => problem.code === 'plan-unsafe');
    return { word: problems.length > 0 ? 'refused' : 'planned', problems: unsafe ? [unsafe.message] : [] };
  } catch (error) {
    // A config that cannot be is refused before there is a plan; anything else is a defect.
    if (error instanceof OxherdError && error.code.startsWith('config.'))
      return { word: 'refused', problems: [] };
    return { word: 'failed', problems: [String(error)] };
  }
}

/** Each is refused with nothing changed, or converges in one apply. */
export async function applyAll(bench: PairBench, pairs: readonly Pair[]): Promise<PairCounts> {
  const counter = new Counter(pairs.length);
  for (const pair of pairs) {
    const name = pairName(pair);
    counter.count(
      name,
      await rememberedOutcome(`pair ${name}`, async () => {
        const { kind, wrong } = await bench.apply(pair);
        return { word: kind, problems: wrong };
      }),
    );
  }
  return counter.counts();
}

interface Outcome {
  readonly word: string;
  readonly problems: readonly string[];
}

const PROGRESS_EVERY = 200;

/** Says what is wrong at once: a long run is looked at before its end. */
class Counter {
  #done = 0;
  #refused = 0;
  readonly #wrong: string[] = [];

  constructor(private readonly all: number) {}

  count(name: string, { word, problems }: Outcome): void {
    this.#done += 1;
    if (word === 'refused') this.#refused += 1;
    if (problems.length > 0) {
      const what = `${name}: ${problems.join('\n    ')}`;
      this.#wrong.push(what);
      process.stderr.write(`${what}\n`);
    }
    if (this.#done % PROGRESS_EVERY === 0) process.stderr.write(`${this.#done} of ${this.all} pairs\n`);
  }

  counts(): PairCounts {
    return { pairs: this.#done, refused: this.#refused, wrong: this.#wrong };
  }
}

export function say(what: string, { pairs, refused, wrong }: PairCounts): void {
  process.stderr.write(`${what}: ${pairs} pairs, ${refused} refused, ${wrong.length} wrong\n`);
}
