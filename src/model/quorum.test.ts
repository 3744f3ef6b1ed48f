import { describe, expect, it } from 'vitest';
import { majorityOf, spareOf } from './quorum.js';

describe('votes', () => {
  it.each([
    [0, 1, 0],
    [1, 1, 0],
    [2, 2, 0],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
    [7, 4, 3],
  ])('of %i voters %i decide, and %i can be down', (voters, majority, spare) => {
    expect(majorityOf(voters)).toBe(majority);
    expect(spareOf(voters)).toBe(spare);
  });

  it('never lets two halves decide at the same time', () => {
    for (let voters = 1; voters <= 50; voters += 1) expect(majorityOf(voters) * 2).toBeGreaterThan(voters);
  });
});
