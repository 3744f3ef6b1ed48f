import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector.js';
import { selectorMatches, selectorText } from './object-selector.js';

describe('label selectors of a query', () => {
  const labels = { tier: 'odd', first: '' };

  it.each([
    ['', true],
    ['tier=odd', true],
    ['tier==even', false],
    ['tier!=even', true],
    ['other!=x', true],
    ['tier in (odd, none)', true],
    ['tier notin (odd)', false],
    ['other notin (odd)', true],
    ['first', true],
    ['!first', false],
    ['first=', true],
    ['tier=odd,first,!other', true],
  ])('%s', (text, wanted) => {
    expect(parseLabelSelector(text)(labels)).toBe(wanted);
  });

  it.each(['tier in odd', 'tier odd', 'tier in (odd', 'n>x', '/z'])('%s is refused', (text) => {
    expect(() => parseLabelSelector(text)).toThrow('unable to parse requirement');
  });

  it('say the same as the selectors of objects that they are printed from', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const value = fc.constantFrom('x', 'y');
    const expression = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(value, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const selector = fc.record({
      matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
      matchExpressions: fc.array(expression, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(selector, fc.dictionary(key, value, { maxKeys: 3 }), (one, given) => {
        const text = selectorText(one);
        const parsed = parseLabelSelector(text === '<none>' ? '' : text);
        expect(parsed(given)).toBe(selectorMatches(one, given));
      }),
    );
  });
});
