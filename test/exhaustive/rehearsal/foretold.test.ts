/** What a rehearsal foretells is what happens: the same plan, the same order, about the same downtime. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CATALOGUE } from '../../support/edit-catalogue.js';
import { PairBench } from '../../support/pair-bench.js';
import { rehearsedAndApplied } from '../../support/rehearsals.js';
import { chosen, rememberedOutcome } from '../../support/shard.js';

/** Of the catalogue in test:exhaustive: about a minute. */
const AT_ONCE = 12;

let bench: PairBench;
beforeAll(async () => {
  bench = await PairBench.build();
}, 300_000);
afterAll(() => bench.remove());

it('edits of the catalogue, rehearsed and then applied', async () => {
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  for (const edit of chosen(CATALOGUE, { exhaustive: AT_ONCE })) {
    const outcome = await rememberedOutcome(`rehearsal ${edit.name}`, async () => {
      const site = await bench.copyWith([edit, edit]);
      try {
        const { kind, wrong: problems } = await rehearsedAndApplied(site);
        return { word: kind, problems };
      } finally {
        await site.remove();
      }
    });
    counts[outcome.word] = (counts[outcome.word] ?? 0) + 1;
    wrong.push(...outcome.problems.map((line) => `${edit.name}: ${line}`));
  }
  console.log(`rehearsals: ${JSON.stringify(counts)}, ${wrong.length} wrong`);
  expect(wrong).toEqual([]);
  expect(counts.applied).toBeGreaterThan(0);
});
