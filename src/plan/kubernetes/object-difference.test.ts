import fc from 'fast-check';
import { expect, it } from 'vitest';
import { missingIn } from './object-difference.js';

it('finds every value that differs from what was applied, and nothing else', () => {
  const wanted = { spec: { size: '1Gi', modes: ['a', 'b'], where: { zone: 'x' } } };
  const live = { spec: { size: '2Gi', modes: ['a', 'b'], where: { zone: 'x', more: 1 } }, status: {} };
  expect(missingIn(wanted, live)).toEqual(['spec.size']);
  expect(missingIn(wanted, { spec: { ...live.spec, size: '1Gi', modes: ['a'] } })).toEqual(['spec.modes']);
  expect(missingIn(wanted, undefined)).toEqual(['spec.size', 'spec.modes', 'spec.where.zone']);
});

it('misses nothing in the object itself, whatever the server adds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.integer()), (value, more) => {
      expect(missingIn({ spec: value }, { ...more, spec: value })).toEqual([]);
    }),
  );
});
