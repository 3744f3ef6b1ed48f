/** Every pair of edits is refused with a reason, or makes a plan that passes its check. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPairs } from '../../support/edit-catalogue.js';
import { PairBench } from '../../support/pair-bench.js';
import { planAll, say } from '../../support/pair-runs.js';
import { chosen } from '../../support/shard.js';

const PLANNED = 300;

let bench: PairBench;
beforeAll(async () => {
  bench = await PairBench.build();
}, 300_000);
afterAll(() => bench.remove());

it('pairs are planned and checked', async () => {
  const counts = await planAll(bench, chosen(allPairs(), { exhaustive: PLANNED }));
  say('planned', counts);
  expect(counts.wrong).toEqual([]);
});
