import { describe, expect, it } from 'vitest';
import { firstEpoch } from './lease-record.js';

describe('the first epoch of a lease', () => {
  const now = Date.UTC(2026, 10, 18, 12);

  it('is above every epoch that a deleted lease of the same name can have reached', () => {
    const deleted = firstEpoch(now) + 200;
    expect(firstEpoch(now + 86_400_000)).toBeGreaterThan(deleted);
  });

  it('fits into the 32 bits of leaseTransitions, and is at least 1 if the clock is wrong', () => {
    expect(firstEpoch(Date.UTC(2080, 0, 1))).toBeLessThan(2 ** 31);
    expect(firstEpoch(0)).toBe(1);
  });
});
