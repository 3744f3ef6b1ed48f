/** The cases of the files that rehearse situations: each has the cluster as it was built. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Situation, SituationBench } from './situations.js';

export function foretells(situations: readonly Situation[]): void {
  let bench: SituationBench;
  beforeAll(async () => {
    bench = await SituationBench.build();
  }, 300_000);
  afterAll(() => bench.remove());

  it.each(situations)('$name', async (situation) => {
    expect(await bench.wrongIn(situation)).toEqual([]);
  });
}
