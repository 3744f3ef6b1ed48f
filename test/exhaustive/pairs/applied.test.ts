/** Pairs of edits are applied: a share of them in test:exhaustive, all of them in test:full. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPairs } from '../../support/edit-catalogue.js';
import { PairBench } from '../../support/pair-bench.js';
import { applyAll, say } from '../../support/pair-runs.js';
import { chosen } from '../../support/shard.js';

const APPLIED = 40;

let bench: PairBench;
beforeAll(async () => {
  bench = await PairBench.build();
}, 300_000);
afterAll(() => bench.remove());

it('pairs converge in one apply, or are refused with nothing changed', async () => {
  const counts = await applyAll(bench, chosen(allPairs(), { exhaustive: APPLIED }));
  say('applied', counts);
  expect(counts.wrong).toEqual([]);
});
