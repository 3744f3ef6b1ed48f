/** Two clusters whose names look alike and a person share one Proxmox: after each step everybody has what is theirs. */
import { describe, expect, it } from 'vitest';
import { liveHistory } from '../support/neighbours/history.js';
import { amount, seed } from '../support/shard.js';

const LENGTH = 30;

describe('two clusters and a person on one Proxmox', () => {
  it('lose nothing to one another', { timeout: 100_000_000 }, async () => {
    const steps = amount({ test: 30, exhaustive: 300, full: 10_000 });
    const wrong: string[] = [];
    let [taken, applied, refused] = [0, 0, 0];
    for (let number = 0; taken < steps && wrong.length === 0; number += 1) {
      const length = Math.min(LENGTH, steps - taken);
      const report = await liveHistory(seed() + number, length);
      wrong.push(...report.wrong);
      taken += length;
      applied += report.applied;
      refused += report.refused;
    }
    console.log(`two clusters and a person: ${taken} steps, ${applied} runs, ${refused} refused`);
    expect(wrong).toEqual([]);
    // A history in which everything is refused shows nothing.
    expect(applied).toBeGreaterThan(steps / 6);
  });
});
