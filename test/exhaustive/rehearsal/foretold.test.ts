/** What a rehearsal foretells is what happens: any edit of the catalogue, a few at a time; in test:full all of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SituationBench } from '../../support/situations.js';

const AT_ONCE = 4;

let bench: SituationBench;
beforeAll(async () => {
  bench = await SituationBench.build();
}, 300_000);
afterAll(() => bench.remove());

it('edits of the catalogue, rehearsed and then applied', async () => {
  const { wrong } = await bench.sweep({ exhaustive: AT_ONCE });
  expect(wrong).toEqual([]);
});
