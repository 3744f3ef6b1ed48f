import { describe, expect, it } from 'vitest';
import { fuzz } from '../property/proxmox-fuzz/run.js';
import { VolumeBook } from '../property/proxmox-fuzz/volume-book.js';
import { chosen } from '../support/shard.js';

const SEEDS = 10;
const PER_SEED = 10_000;

describe('100,000 random requests to the Proxmox lab', () => {
  it.each(
    chosen(
      Array.from({ length: SEEDS }, (_, index) => index + 1),
      { exhaustive: 4 },
    ),
  )('neither break it nor lose a volume (seed %i)', async (seed) => {
    const book = new VolumeBook();
    const result = await fuzz({ seed, count: PER_SEED, check: (...step) => book.check(...step) });
    const answered = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
    expect(answered).toBe(PER_SEED);
    expect(result.tasks.ok).toBeGreaterThan(200);
  });
});
