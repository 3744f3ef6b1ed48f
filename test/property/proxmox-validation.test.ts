/** The rules of the API schema, for every method and parameter that it has: texts follow the class, not a sample. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METHODS } from '../../src/lab/proxmox/gen/schema.js';
import type { MethodSchema, PropertySchema } from '../../src/lab/proxmox/schema.js';
import { checkParameters } from '../../src/lab/proxmox/validation/parameters.js';

const RUNS = { numRuns: 300, seed: 17 };
const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties';

interface Place {
  readonly method: MethodSchema;
  readonly name: string;
  readonly property: PropertySchema;
}

const places: Place[] = METHODS.flatMap((method) =>
  Object.entries(method.parameters.properties ?? {})
    .filter(([name]) => !name.includes('['))
    .map(([name, property]) => ({ method, name, property })),
);

function placesWith(wanted: (property: PropertySchema) => boolean): fc.Arbitrary<Place> {
  const found = places.filter(({ property }) => wanted(property));
  expect(found.length).toBeGreaterThan(5);
  return fc.constantFrom(...found);
}

/** Only what is said of this parameter: others may be missing. */
function problem({ method, name }: Place, value: string): string | undefined {
  return checkParameters(method.parameters, { [name]: value })[name];
}

const plain = (property: PropertySchema) => property.format === undefined && property.pattern === undefined;

describe('a request', () => {
  it('with a parameter that the schema does not know is refused by name', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...METHODS.filter(({ parameters }) => parameters.additionalProperties === false)),
        fc.stringMatching(/^zz[a-z]{3,12}$/),
        (method, name) => {
          expect(checkParameters(method.parameters, { [name]: '1' })[name]).toBe(UNKNOWN);
        },
      ),
      RUNS,
    );
  });

  it('without what is required is told which', () => {
    fc.assert(
      fc.property(
        placesWith((property) => !property.optional),
        ({ method, name }) => {
          expect(checkParameters(method.parameters, {})[name]).toBe(
            'property is missing and it is not optional',
          );
        },
      ),
      RUNS,
    );
  });

  it('with a word for a number or a flag gets the type', () => {
    fc.assert(
      fc.property(
        placesWith(({ type }) => type === 'integer' || type === 'boolean'),
        fc.stringMatching(/^[a-z]{1,8}$/),
        (place, word) => {
          const { type } = place.property;
          expect(problem(place, word)).toBe(`type check ('${type}') failed - got '${word}'`);
        },
      ),
      RUNS,
    );
  });

  it('with a number outside its limits gets the limit', () => {
    fc.assert(
      fc.property(
        placesWith(
          (property) => plain(property) && property.type === 'integer' && property.minimum !== undefined,
        ),
        fc.integer({ min: 1, max: 1000 }),
        (place, below) => {
          const { minimum = 0 } = place.property;
          expect(problem(place, String(minimum - below))).toBe(
            `value must have a minimum value of ${minimum}`,
          );
        },
      ),
      RUNS,
    );
  });

  it('with a word that is not in the list gets the list', () => {
    fc.assert(
      fc.property(
        placesWith(
          (property) =>
            plain(property) &&
            property.type === 'string' &&
            property.enum !== undefined &&
            property.maxLength === undefined,
        ),
        fc.stringMatching(/^zz[a-z]{1,6}$/),
        (place, word) => {
          const list = place.property.enum?.join(', ');
          expect(problem(place, word)).toBe(
            `value '${word}' does not have a value in the enumeration '${list}'`,
          );
        },
      ),
      RUNS,
    );
  });

  it('with a text that is too long gets its length', () => {
    fc.assert(
      fc.property(
        placesWith(
          (property) => plain(property) && property.type === 'string' && property.maxLength !== undefined,
        ),
        fc.integer({ min: 1, max: 50 }),
        (place, more) => {
          const { maxLength = 0 } = place.property;
          expect(problem(place, 'a'.repeat(maxLength + more))).toBe(
            `value may only be ${maxLength} characters long`,
          );
        },
      ),
      RUNS,
    );
  });

  it('with what it may have has nothing wrong', () => {
    fc.assert(
      fc.property(
        placesWith((property) => plain(property) && (property.enum ?? []).length > 0),
        fc.nat(),
        (place, index) => {
          const list = place.property.enum ?? [];
          expect(problem(place, list[index % list.length] ?? '')).toBeUndefined();
        },
      ),
      RUNS,
    );
  });
});
