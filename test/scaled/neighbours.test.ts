/** Two clusters whose names look alike and a person share one Proxmox: after each step everybody has what is theirs. */
import { describe, expect, it } from 'vitest';
import { liveHistory } from '../support/neighbours/history.js';
import { amount, remembered, seed } from '../support/shard.js';

const LENGTH = 30;

describe('two clusters and a person on one Proxmox', () => {
  it('lose nothing to one another', { timeout: 100_000_000 }, async () => {
    const steps = amount({ test: 30, exhaustive: 300, full: 10_000 });
    const wrong: string[] = [];
    let [taken, lived, applied, refused] = [0, 0, 0, 0];
    for (let number = 0; taken < steps && wrong.length === 0; number += 1) {
      const length = Math.min(LENGTH, steps - taken);
      const found = await remembered(`neighbours ${seed() + number}, ${length} steps`, async () => {
        const report = await liveHistory(seed() + number, length);
        lived += length;
        applied += report.applied;
        refused += report.refused;
        return report.wrong;
      });
      wrong.push(...found);
      taken += length;
    }
    const before = taken > lived ? ` (${taken - lived} of them in an earlier run)` : '';
    console.log(
      `two clusters and a person: ${taken} steps${before}, ${applied} runs, ${refused} refused, ${wrong.length} wrong`,
    );
    expect(wrong).toEqual([]);
    // A history in which everything is refused shows nothing.
    expect(applied).toBeGreaterThanOrEqual(Math.floor(lived / 6));
  });
});
