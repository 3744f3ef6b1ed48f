import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNaturally } from './natural-order.js';

const inOrder = (names: readonly string[]): string[] => [...names].sort(compareNaturally);

describe('natural order', () => {
  it('counts numbers in names', () => {
    expect(inOrder(['work-10', 'cp-1', 'work-2', 'cp-10', 'cp-2', 'work-2-data'])).toEqual([
      'cp-1',
      'cp-2',
      'cp-10',
      'work-2',
      'work-2-data',
      'work-10',
    ]);
    expect(inOrder(['r0', 'r', 'r-a', 'r10-a', 'r2'])).toEqual(['r', 'r-a', 'r0', 'r2', 'r10-a']);
    expect(inOrder(['rc.10', 'beta.1', 'rc.2', 'alpha.0'])).toEqual(['alpha.0', 'beta.1', 'rc.2', 'rc.10']);
  });

  it('is that of a locale for names of hosts and nodes', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}(?:[0-9]{1,3})?(?:-[a-z]{1,2}[1-9]?)?$/);
    fc.assert(
      fc.property(name, name, (a, b) => {
        const expected = a.localeCompare(b, 'en', { numeric: true });
        if (expected !== 0) expect(Math.sign(compareNaturally(a, b))).toBe(Math.sign(expected));
      }),
    );
  });

  it('is an order: one of two names is first, and only equal names are equal', () => {
    const name = fc.stringMatching(/^[a-z0-9-]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b)) + Math.sign(compareNaturally(b, a))).toBe(0);
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        if (compareNaturally(a, b) <= 0 && compareNaturally(b, c) <= 0)
          expect(compareNaturally(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
