import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodesHeading, shortNames } from './node-names.js';

const numbered = (prefix: string, first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${first + index}`);

describe('names of many nodes', () => {
  it('are a range where they are consecutive', () => {
    expect(shortNames(['cp-1', ...numbered('work-', 1, 40)])).toBe('cp-1, work-1 … work-40');
    expect(shortNames(['work-1', 'work-2'])).toBe('work-1, work-2');
    expect(shortNames(['work-08', 'work-09', 'work-10'])).toBe('work-08 … work-10');
  });

  it('are no range over a gap, another order or another prefix', () => {
    expect(shortNames(['cp-2', 'cp-3', 'cp-1'])).toBe('cp-2, cp-3, cp-1');
    expect(shortNames(['a-1', 'a-2', 'b-3'])).toBe('a-1, a-2, b-3');
    expect(shortNames(['a-9', 'a-010', 'a-011'])).toBe('a-9, a-010, a-011');
  });

  it('are counted where there are too many to list', () => {
    const odd = Array.from({ length: 20 }, (_, index) => `work-${2 * index + 1}`);
    expect(shortNames(odd, 4)).toBe('work-1, work-3, work-5 and 17 more');
  });

  it('have their number in a heading', () => {
    expect(nodesHeading(['work-1'])).toBe('work-1');
    expect(nodesHeading(numbered('work-', 1, 40))).toBe('work-1 … work-40 (40 nodes)');
  });

  it('are all there, in their order, whatever they are', () => {
    const name = fc
      .tuple(fc.constantFrom('a-', 'b', 'node'), fc.nat(30))
      .map(([prefix, n]) => `${prefix}${n}`);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        const expanded = shortNames(names, Number.POSITIVE_INFINITY)
          .split(', ')
          .filter((part) => part !== '')
          .flatMap((part) => {
            const [first = '', last] = part.split(' … ');
            if (last === undefined) return [first];
            const prefix = first.replace(/\d+$/, '');
            const from = Number(first.slice(prefix.length));
            return numbered(prefix, from, Number(last.slice(prefix.length)) - from + 1);
          });
        expect(expanded).toEqual(names);
      }),
    );
  });
});
