import { describe, expect, it } from 'vitest';
import { changesStatus } from './unchanged.js';

const NOW = Date.parse('2026-06-01T10:00:00Z');

describe('a status', () => {
  const before = {
    observedGeneration: 2,
    conditions: [{ reason: 'Succeeded', type: 'Ready', status: 'True' }],
    plan: { planId: 'a', steps: 3 },
    lastObserved: '2026-06-01T09:50:00Z',
  };

  it.each([
    [
      'the same in another order',
      { conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded' }] },
      false,
    ],
    ['a field that is removed and was not there', { run: null }, false],
    ['an empty part that is not there', { run: { step: null } }, true],
    ['a field that is removed', { plan: null }, true],
    ['another value within', { plan: { steps: 4 } }, true],
    [
      'another time of observation alone',
      { plan: { planId: 'a' }, lastObserved: '2026-06-01T10:00:00Z' },
      false,
    ],
    ['a condition less', { conditions: [] }, true],
    ['nothing', {}, false],
    ['a field without value', { run: undefined }, false],
  ])('is written or not: %s', (_, patch, written) => {
    expect(changesStatus(before, patch, NOW)).toBe(written);
  });

  it('says once an hour how old it is', () => {
    const patch = { observedGeneration: 2, lastObserved: '2026-06-01T10:50:00Z' };
    expect(changesStatus(before, patch, NOW + 49 * 60_000)).toBe(false);
    expect(changesStatus(before, patch, NOW + 50 * 60_000)).toBe(true);
    expect(changesStatus({}, { lastObserved: '2026-06-01T10:50:00Z' }, NOW)).toBe(true);
  });
});
