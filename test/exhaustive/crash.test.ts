import { describe, expect, it } from 'vitest';
import { smallCluster } from '../support/configs.js';
import { crashAfter } from '../support/crash.js';

describe('a run that is cut off after every single request', () => {
  it('always converges, with every disk once', async () => {
    const wrong: string[] = [];
    let points = 0;
    for (let requests = 0; ; requests += 1) {
      const outcome = await crashAfter(requests, smallCluster());
      if (outcome.problems.length > 0) wrong.push(`after ${requests}: ${outcome.problems.join('; ')}`);
      if (!outcome.cut) break;
      points += 1;
    }
    console.log(`cut off at ${points} points`);
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(80);
  });
});
