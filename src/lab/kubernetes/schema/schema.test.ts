import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_TYPES } from '../kinds/built-in-kinds.js';
import { builtInSchema } from './built-in.js';
import { canonical, noFindings } from './canonical.js';
import { openApiDefaults } from './open-api.js';
import { openApiErrors } from './open-api-errors.js';
import { canonicalQuantity, quantityValue } from './quantity.js';
import { missingFields } from './required.js';

function form(value: unknown, type: string) {
  const findings = noFindings();
  return { value: canonical(value, builtInSchema(type), findings), findings };
}

describe('the form of an object', () => {
  it('finds unknown fields wherever they are', () => {
    const { findings } = form({ spec: { nope: 1, containers: [{ name: 'c', imagee: 'x' }] } }, 'core.Pod');
    expect(findings.unknown).toEqual(['spec.nope', 'spec.containers[0].imagee']);
  });

  it('finds wrong types', () => {
    const { findings } = form({ spec: { unschedulable: 'yes' } }, 'core.Node');
    expect(findings.faults).toEqual([
      'json: cannot unmarshal string into Go struct field NodeSpec.spec.unschedulable of type bool',
    ]);
  });

  it('drops empty collections and nulls, keeps structs behind pointers', () => {
    const { value } = form(
      { metadata: { labels: {} }, spec: { volumes: [{ name: 'v', emptyDir: {} }], tolerations: [] } },
      'core.Pod',
    );
    expect(value).toEqual({
      metadata: {},
      spec: { volumes: [{ name: 'v', emptyDir: {} }], containers: null },
      status: {},
    });
  });

  it('is its own form', () => {
    for (const type of BUILT_IN_TYPES) {
      const once = canonical({ metadata: { name: 'x' } }, type.schema, noFindings());
      expect(canonical(once, type.schema, noFindings())).toEqual(once);
    }
  });
});

describe('required fields', () => {
  it('are named with their place', () => {
    const errors = missingFields({ spec: { containers: [{ image: 'x' }] } }, builtInSchema('core.Pod'), '');
    expect(errors.map((error) => error.field)).toEqual(['spec.containers[0].name']);
  });
});

describe('quantities', () => {
  it.each([
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1000e3', '1e6'],
    ['0.1Mi', '104857600m'],
    ['0.5Ki', '512'],
    ['1n', '1n'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['0', '0'],
    ['nonsense', 'nonsense'],
  ])('%s is written %s', (given, wanted) => {
    expect(canonicalQuantity(given)).toBe(wanted);
  });

  it('keep their value and are written in one way', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti');
    fc.assert(
      fc.property(fc.nat(100_000), suffix, (number, unit) => {
        const text = canonicalQuantity(`${number}${unit}`);
        expect(quantityValue(text)).toBe(quantityValue(`${number}${unit}`));
        expect(canonicalQuantity(text)).toBe(text);
      }),
    );
  });
});

describe('schemas of custom kinds', () => {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1 },
          mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
          name: { type: 'string', pattern: '^[a-z]+$' },
        },
      },
    },
  };

  it('fill in defaults and find what is wrong', () => {
    expect(openApiDefaults({ spec: { size: 1 } }, schema)).toEqual({ spec: { size: 1, mode: 'a' } });
    expect(
      openApiErrors({ spec: { size: 0, mode: 'z', name: 'A' } }, schema, '').map((error) => error.field),
    ).toEqual(['spec.mode', 'spec.name', 'spec.size']);
    expect(openApiErrors({ spec: {} }, schema, '')).toEqual([
      { field: 'spec.size', type: 'Required', detail: 'Required value' },
    ]);
  });
});
