import { describe, expect, it } from 'vitest';
import { fuzz } from './proxmox-fuzz/run.js';
import { VolumeBook } from './proxmox-fuzz/volume-book.js';

describe('random requests to the Proxmox lab', () => {
  // The long run is test/exhaustive/proxmox-fuzz.test.ts.
  it('neither break it nor lose a volume (5,000 requests)', { timeout: 120_000 }, async () => {
    const book = new VolumeBook();
    const result = await fuzz({ seed: 1, count: 5_000, check: (...step) => book.check(...step) });
    // The requests are worth something only if many of them are carried out.
    expect(result.statuses[200]).toBeGreaterThan(1_000);
    expect(result.statuses[400]).toBeGreaterThan(500);
    expect(result.statuses[500]).toBeGreaterThan(500);
    expect(result.tasks.ok).toBeGreaterThan(100);
    expect(result.tasks.failed).toBeGreaterThan(100);
  });
});
