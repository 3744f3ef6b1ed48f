/** A short walk of test/exhaustive/volumes-model.test.ts. */
import { describe, expect, it } from 'vitest';
import { beginVolumes, checkVolumeModel } from '../support/volume-model.js';

describe('random changes of volumes', () => {
  it('leave each on its own disk with its own content', async () => {
    const begin = await beginVolumes();
    const taken = await checkVolumeModel(begin, { seed: 7, runs: 1, commands: 5 });
    begin.folder.remove();
    expect(taken).toBeGreaterThan(1);
  });
});
