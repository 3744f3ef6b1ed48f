import { describe, expect, it } from 'vitest';
import { matchesExpression, matchesLabels } from './label-selector.js';

describe('a label selector', () => {
  it('picks everything when it is empty', () => {
    expect(matchesLabels({}, {})).toBe(true);
    expect(matchesLabels({ matchLabels: {}, matchExpressions: [] }, { app: 'web' })).toBe(true);
  });

  it('wants all of its labels and all of its expressions', () => {
    const selector = {
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
    };
    expect(matchesLabels(selector, { app: 'web', tier: 'b' })).toBe(true);
    expect(matchesLabels(selector, { app: 'web', tier: 'c' })).toBe(false);
    expect(matchesLabels(selector, { tier: 'a' })).toBe(false);
  });
});

describe('an expression', () => {
  it.each([
    ['In', 'a', true],
    ['In', 'c', false],
    ['In', undefined, false],
    ['NotIn', 'a', false],
    ['NotIn', 'c', true],
    ['NotIn', undefined, true],
    ['Exists', 'a', true],
    ['Exists', undefined, false],
    ['DoesNotExist', 'a', false],
    ['DoesNotExist', undefined, true],
    ['Unheard', 'a', false],
  ])('%s of a and b on %s is %s', (operator, value, holds) => {
    expect(matchesExpression(value, { operator, values: ['a', 'b'] })).toBe(holds);
  });

  it.each([
    ['Gt', '8', '7', true],
    ['Gt', '10', '9', true],
    ['Gt', '7', '7', false],
    ['Lt', '6', '7', true],
    ['Lt', '', '7', false],
    ['Gt', 'many', '7', false],
    ['Lt', '1.5', '7', false],
  ])('%s compares whole numbers: %s and %s, %s', (operator, value, than, holds) => {
    expect(matchesExpression(value, { operator, values: [than] })).toBe(holds);
  });
});
