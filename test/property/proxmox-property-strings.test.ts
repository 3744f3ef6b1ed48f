/** Property strings (`net0=virtio=MAC,bridge=vmbr0`) of every format that the schema has, and the rules of scalars behind them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS, INDEXED, METHODS } from '../../src/lab/proxmox/gen/schema.js';
import type { FormatSchema, PropertySchema } from '../../src/lab/proxmox/schema.js';
import { checkProperty, type Errors } from '../../src/lab/proxmox/validation/check.js';
import { checkParameters } from '../../src/lab/proxmox/validation/parameters.js';

const RUNS = { numRuns: 60, seed: 31 };
const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties';

interface Entry {
  readonly format: string;
  readonly schema: FormatSchema;
  readonly key: string;
  readonly property: PropertySchema;
}

const entries: Entry[] = [...FORMATS].flatMap(([format, schema]) =>
  Object.entries(schema).map(([key, property]) => ({ format, schema, key, property })),
);

function entriesWith(wanted: (entry: Entry) => boolean): fc.Arbitrary<Entry> {
  const found = entries.filter(wanted);
  expect(found.length).toBeGreaterThan(2);
  return fc.constantFrom(...found);
}

function problem(property: PropertySchema, value: string): string | undefined {
  const errors: Errors = Object.create(null);
  checkProperty(value, property, 'x', errors);
  return errors.x;
}

const check = (format: string, text: string) => problem({ type: 'string', format }, text);
const has = (said: string | undefined, place: string, message: string) =>
  expect(said?.split('\n')).toContain(`x.${place}: ${message}`);

describe('a property string', () => {
  it('with a key that its format does not have is refused by that key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS.keys()), fc.stringMatching(/^zz[a-z]{1,8}$/), (format, key) => {
        has(check(format, `${key}=1`), key, UNKNOWN);
      }),
      RUNS,
    );
  });

  it('without a key that it needs is told which', () => {
    const needed = entriesWith(({ property }) => !property.optional && property.alias === undefined);
    fc.assert(
      fc.property(needed, ({ format, key }) => {
        has(check(format, 'zz=1'), key, 'property is missing and it is not optional');
      }),
      RUNS,
    );
  });

  it('with a key twice is refused, whatever its values', () => {
    const own = entriesWith(({ property }) => property.alias === undefined);
    fc.assert(
      fc.property(own, fc.stringMatching(/^[a-z1-9]{1,5}$/), ({ format, key }, value) => {
        expect(check(format, `${key}=${value},${key}=${value}`)).toBe(
          `invalid format - duplicate key in comma-separated list property: ${key}\n`,
        );
      }),
      RUNS,
    );
  });

  it('with a bare value gives it to the default key, once, or refuses it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.stringMatching(/^[a-z]{3,8}$/),
        ([format, schema], word) => {
          const [key] = Object.entries(schema).find(([, one]) => one.defaultKey) ?? [];
          if (key === undefined) {
            expect(check(format, word)).toBe(
              'invalid format - value without key, but schema does not define a default key\n',
            );
          } else {
            expect(check(format, word)).toBe(check(format, `${key}=${word}`));
            expect(check(format, `${word},${word}`)).toBe(
              `invalid format - duplicate key in comma-separated list property: ${key}\n`,
            );
          }
        },
      ),
      RUNS,
    );
  });

  it('takes another name of a key for that key, and not both', () => {
    const aliases = entriesWith(({ property }) => property.alias !== undefined);
    fc.assert(
      fc.property(aliases, fc.stringMatching(/^[a-z]{3,8}$/), ({ format, key, property }, word) => {
        expect(check(format, `${property.alias}=${word},${key}=${word}`)).toMatch(/already defined/);
      }),
      RUNS,
    );
  });

  it('needs a key before every equals sign', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS.keys()), fc.constantFrom('=', '=x', 'x='), (format, part) => {
        expect(check(format, part)).toBe('invalid format - missing key in comma-separated list property\n');
      }),
      RUNS,
    );
  });

  it('takes words for booleans, which a parameter does not', () => {
    const flags = entriesWith(({ property }) => property.type === 'boolean');
    const words = fc.constantFrom('on', 'Yes', 'TRUE', 'off', 'no', 'False', '0', '1');
    fc.assert(
      fc.property(flags, words, ({ format, key }, word) => {
        expect(check(format, `${key}=${word}`) ?? '').not.toContain(`x.${key}: type check`);
        has(check(format, `${key}=maybe`), key, "type check ('boolean') failed - got 'maybe'");
      }),
      RUNS,
    );
  });

  it('holds the limits of its numbers and names the limit', () => {
    const limited = entriesWith(
      ({ property }) => property.type === 'integer' && property.maximum !== undefined,
    );
    fc.assert(
      fc.property(limited, fc.integer({ min: 1, max: 999 }), ({ format, key, property }, over) => {
        const { maximum = 0 } = property;
        has(check(format, `${key}=${maximum + over}`), key, `value must have a maximum value of ${maximum}`);
        expect(check(format, `${key}=${maximum}`) ?? '').not.toContain(`x.${key}: value must`);
      }),
      RUNS,
    );
  });

  it('names what a key requires', () => {
    const requiring = entriesWith(({ property }) => property.requires !== undefined);
    fc.assert(
      fc.property(requiring, ({ format, key, property }) => {
        const said = check(format, `${key}=1`);
        expect(said).toContain(`x.${property.requires}: missing property required by 'x.${key}'`);
      }),
      RUNS,
    );
  });
});

describe('a scalar', () => {
  const NUMBER = /^[+-]?(\d+\.\d+|\d+\.|\.\d+|\d+)([eE][+-]?\d+)?$/;

  it('is a number or an integer as Perl writes them', () => {
    const text = fc.stringMatching(/^[+-]?[0-9]{0,3}\.?[0-9]{0,2}(?:[eE]-?[0-9])?$/);
    fc.assert(
      fc.property(text, (value) => {
        expect(problem({ type: 'number' }, value)).toBe(
          NUMBER.test(value) ? undefined : `type check ('number') failed - got '${value}'`,
        );
        expect(problem({ type: 'integer' }, value)).toBe(
          /^[+-]?\d+$/.test(value) ? undefined : `type check ('integer') failed - got '${value}'`,
        );
      }),
      RUNS,
    );
  });

  it('meets length, limits and list in that order, and the first that fails is named', () => {
    const value = fc.stringMatching(/^-?[0-9]{1,6}$/);
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: -99, max: 99 }),
        (text, most, low) => {
          const schema = {
            type: 'integer',
            maxLength: most,
            minimum: low,
            maximum: low + 50,
            enum: ['7', '11'],
          };
          const number = Number(text);
          const said =
            text.length > most
              ? `value may only be ${most} characters long`
              : number > low + 50
                ? `value must have a maximum value of ${low + 50}`
                : number < low
                  ? `value must have a minimum value of ${low}`
                  : ['7', '11'].includes(text)
                    ? undefined
                    : `value '${text}' does not have a value in the enumeration '7, 11'`;
          expect(problem(schema, text)).toBe(said);
        },
      ),
      RUNS,
    );
  });

  it('that is too short is told the length', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{0,9}$/), fc.integer({ min: 1, max: 9 }), (text, least) => {
        expect(problem({ type: 'string', minLength: least }, text)).toBe(
          text.length < least ? `value must be at least ${least} characters long` : undefined,
        );
      }),
      RUNS,
    );
  });
});

describe('numbered options', () => {
  const numbered = METHODS.flatMap((method) =>
    Object.keys(method.parameters.properties ?? {})
      .filter((name) => name.endsWith('[n]'))
      .map((name) => ({ method, base: name.slice(0, -3) })),
  );

  it('are known from 0 to their last number, without leading zeros', () => {
    fc.assert(
      fc.property(fc.constantFrom(...numbered), fc.nat(300), ({ method, base }, index) => {
        const said = (name: string) => checkParameters(method.parameters, { [name]: '???' })[name];
        const known = index < (INDEXED[base] ?? 0);
        expect(said(`${base}${index}`) === UNKNOWN).toBe(!known);
        expect(said(`${base}0${index}`)).toBe(UNKNOWN);
      }),
      RUNS,
    );
  });
});
