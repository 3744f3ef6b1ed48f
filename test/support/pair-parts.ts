/** The pairs of a tier in parts that workers share: each part is a test file of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPairs, CATALOGUE, type Pair } from './edit-catalogue.js';
import { PairBench } from './pair-bench.js';
import { applyAll, planAll, say } from './pair-runs.js';
import { idsDoNotDependOnTheLeader, PAIRS_WITH_IDS, understatedEdits } from './plan-claims.js';
import { chosen } from './shard.js';

/** `2/4`: the second of four. */
type Part = `${number}/${number}`;

/** Of all of them in test:exhaustive; test:full applies all. */
const APPLIED = 262;

/** Every pair is refused with a reason, or makes a plan that passes its check. */
export function plansPairs(part: Part): void {
  const bench = sharedBench();
  it('pairs are planned and checked', async () => {
    const counts = await planAll(bench(), ofPart(chosen(allPairs(), {}), part));
    say(`planned ${part}`, counts);
    expect(counts.wrong).toEqual([]);
  });
  if (part.startsWith('1/')) {
    it('no edit does more than docs/changes.md says of its keys', async () => {
      expect(await understatedEdits(bench(), CATALOGUE)).toEqual([]);
    });
    it('the id of a plan is the same whichever control plane leads etcd', () =>
      idsDoNotDependOnTheLeader(bench(), PAIRS_WITH_IDS));
  }
}

/** Every pair is refused with nothing changed, or converges in one apply. */
export function appliesPairs(part: Part): void {
  const bench = sharedBench();
  it('pairs converge in one apply, or are refused with nothing changed', async () => {
    const counts = await applyAll(bench(), ofPart(chosen(allPairs(), { exhaustive: APPLIED }), part));
    say(`applied ${part}`, counts);
    expect(counts.wrong).toEqual([]);
  });
}

function sharedBench(): () => PairBench {
  let bench: PairBench | undefined;
  beforeAll(async () => {
    bench = await PairBench.build();
  }, 300_000);
  afterAll(() => bench?.remove());
  return () => {
    if (!bench) throw new Error('the cluster was not built');
    return bench;
  };
}

function ofPart(pairs: readonly Pair[], part: Part): Pair[] {
  const [index = 1, of = 1] = part.split('/').map(Number);
  return pairs.filter((_, place) => place % of === index - 1);
}
