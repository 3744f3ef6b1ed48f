/** Volumes are added, removed, grown, renamed and survive their VM, in any order. */
import { describe, expect, it } from 'vitest';
import { beginVolumes, checkVolumeModel } from '../support/volume-model.js';

const RUNS = 16;

describe('random changes of volumes', () => {
  it('leave each on its own disk with its own content', async () => {
    const begin = await beginVolumes();
    const taken = await checkVolumeModel(begin, { seed: 7, runs: RUNS, commands: 10 });
    console.log(`random changes of volumes: ${taken} in ${RUNS} sequences`);
    begin.folder.remove();
    expect(taken).toBeGreaterThan(30);
  });
});
