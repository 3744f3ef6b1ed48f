/** The process is suspended for 1, 10 and 60 minutes at every request of ten changes that could matter. */
import { describe, expect, it } from 'vitest';
import {
  herdOf,
  PAUSED_CHANGES,
  pausePoints,
  pauseProblems,
  suspensionsAt,
  takenOverProblems,
} from '../support/pauses.js';
import { chosen, remembered } from '../support/shard.js';

const CASES_OF_EACH = 4;

describe.each(Object.entries(PAUSED_CHANGES))('a process that is suspended in "%s"', (name, change) => {
  it('harms nothing, and the next apply converges', async () => {
    const running = await herdOf(change);
    const suspensions = suspensionsAt(await pausePoints(running, change));
    const wrong: string[] = [];
    for (const suspension of chosen(suspensions, { exhaustive: CASES_OF_EACH })) {
      const key = `pause ${name} ${JSON.stringify(suspension)}`;
      const problems = await remembered(key, () => pauseProblems(running, change, suspension));
      wrong.push(...problems.map((problem) => `${key}: ${problem}`));
    }
    running.remove();
    expect(wrong).toEqual([]);
    expect(suspensions.length).toBeGreaterThan(20);
  });
});

describe('a process whose lock was taken away while it was suspended', () => {
  it('sends nothing more', async () => {
    const change = PAUSED_CHANGES['more memory'];
    if (!change) throw new Error('no such change');
    const running = await herdOf(change);
    const suspensions = suspensionsAt(await pausePoints(running, change));
    const wrong: string[] = [];
    for (const suspension of chosen(suspensions, { exhaustive: CASES_OF_EACH })) {
      const key = `taken over ${JSON.stringify(suspension)}`;
      const problems = await remembered(key, () => takenOverProblems(running, change, suspension));
      wrong.push(...problems.map((problem) => `${key}: ${problem}`));
    }
    running.remove();
    expect(wrong).toEqual([]);
  });
});
