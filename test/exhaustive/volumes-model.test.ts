/** Volumes are added, removed, grown, renamed and survive their VM, in any order. */
import { describe, expect, it } from 'vitest';
import { chosen } from '../support/shard.js';
import { beginVolumes, checkVolumeModel } from '../support/volume-model.js';

const SEEDS = [7, 8, 9, 10];
const RUNS = 16;

describe('random changes of volumes', () => {
  it.each(chosen(SEEDS, { exhaustive: 1 }))(
    'leave each on its own disk with its own content (seed %i)',
    async (seed) => {
      const begin = await beginVolumes();
      const taken = await checkVolumeModel(begin, { seed, runs: RUNS, commands: 10 });
      console.log(`random changes of volumes: ${taken} in ${RUNS} sequences of seed ${seed}`);
      begin.folder.remove();
      expect(taken).toBeGreaterThan(30);
    },
  );
});
