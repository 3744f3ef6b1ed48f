import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../gen/fields.js';
import { type Obj, sameJson } from '../json.js';
import { BUILT_IN_TYPES } from '../kinds/built-in-kinds.js';
import { apiVersionOf } from '../kinds/resource-type.js';
import { builtInSchema } from '../schema/built-in.js';
import { canonical, noFindings } from '../schema/canonical.js';
import { structFacts, type TypeFact } from '../schema/field-facts.js';
import { decodeStruct, ProtobufError } from './decode.js';
import { encodeStruct } from './encode.js';
import { decodeEnveloped, encodeBody, encodeEvent, messageOf, openEnvelope } from './envelope.js';

const date = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 19));
const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null);

/** A value of a type, of a few levels. */
function valueOfType(type: TypeFact, depth: number): fc.Arbitrary<unknown> {
  switch (type.is) {
    case 'list':
      return fc.array(valueOfType(type.of, depth), { minLength: 1, maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.string({ minLength: 1 }), valueOfType(type.of, depth), {
        minKeys: 1,
        maxKeys: 3,
        noNullPrototype: true,
      });
    case 'struct':
      return depth === 0 ? fc.constant({}) : objectOfType(type.id, depth - 1);
    case 'scalar':
      return scalarOf(type.scalar);
  }
}

function scalarOf(scalar: string): fc.Arbitrary<unknown> {
  switch (scalar) {
    case 's':
      return fc.string({ unit: 'grapheme' });
    case 'b':
      return fc.boolean();
    case 'n':
      return fc.integer();
    case 'l':
      return fc.maxSafeInteger();
    case 'f':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case 'y':
      return fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'i':
      return fc.oneof(fc.integer(), fc.string());
    case 'q':
      return fc.constantFrom('1', '500m', '1536Mi', '1e3', '0', '12345678901234567890123');
    case 't':
      return date.map((text) => `${text}Z`);
    case 'u':
      return fc
        .tuple(date, fc.integer({ min: 0, max: 999_999 }))
        .map(([text, micro]) => `${text}.${String(micro).padStart(6, '0')}Z`);
    case 'd':
      return fc.constantFrom('0s', '1h30m5s', '10s');
    default:
      return json;
  }
}

const CHOICES = /JSONSchemaPropsOr/;

function objectOfType(id: string, depth: number): fc.Arbitrary<Obj> {
  const own = structFacts(id).fields.filter((field) => field.name !== '' && field.number !== 0);
  const model = Object.fromEntries(
    own
      .filter(({ type }) => !(type.is === 'struct' && CHOICES.test(type.id)))
      .filter(({ type }) => !(type.is === 'map' && type.of.is === 'struct' && CHOICES.test(type.of.id)))
      .map((field) => [field.name, valueOfType(field.type, depth)]),
  );
  return fc.record(model, { requiredKeys: [] });
}

describe('protobuf', () => {
  it('has a message for every built-in kind', () => {
    for (const type of BUILT_IN_TYPES) {
      expect(messageOf(apiVersionOf(type), type.kind), type.kind).toBe(type.schema.id);
    }
    expect(messageOf('ex.io/v1', 'Widget')).toBeUndefined();
  });

  it.each(['core.Pod', 'core.Node', 'core.Secret', 'apps.Deployment', 'coordination.Lease', 'meta.Status'])(
    'of a %s says what its JSON says',
    (id) => {
      const form = (value: Obj) => canonical(value, builtInSchema(id), noFindings());
      fc.assert(
        fc.property(objectOfType(id, 4), (value) => {
          const back = decodeStruct(id, encodeStruct(id, value));
          expect(sameJson(form(back), form(value)), JSON.stringify([form(value), form(back)])).toBe(true);
        }),
        { numRuns: 40, seed: 7 },
      );
    },
  );

  it('keeps every type of the API', () => {
    // Schemas of custom kinds are free-form in JSON: what is left out there is not the same as zero.
    for (const id of Object.keys(FIELDS).filter((name) => !name.startsWith('apiextensions.'))) {
      const form = (value: Obj) => canonical(value, builtInSchema(id), noFindings());
      fc.assert(
        fc.property(objectOfType(id, 1), (value) => {
          expect(form(decodeStruct(id, encodeStruct(id, value)))).toEqual(form(value));
        }),
        { numRuns: 3, seed: 11 },
      );
    }
  });

  it('reads and writes what a schema can be', () => {
    const schema = {
      properties: {
        a: { items: { type: 'string' }, additionalProperties: true },
        b: { items: [{ type: 'string' }, { type: 'integer' }], additionalProperties: { type: 'string' } },
        c: { default: { x: [1, null] }, enum: ['a', 2], additionalProperties: false },
      },
      dependencies: { d: ['x', 'y'], e: { type: 'object' } },
    };
    const id = 'apiextensions.JSONSchemaProps';
    expect(decodeStruct(id, encodeStruct(id, schema))).toMatchObject(schema);
  });

  it('is written as kube-apiserver writes it', () => {
    // A namespace of kube-apiserver v1.37.1, without its owned fields.
    const bytes =
      '6b3873000a0f0a0276311209' +
      '4e616d65737061636512630a490a0764656661756c7412001a0022002a00320231353800' +
      '420808d3e7e8d70610005a260a1b6b756265726e657465732e696f2f6d657461646174612e6e616d65' +
      '120764656661756c74120c0a0a6b756265726e657465731a080a064163746976651a002200';
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'default',
        resourceVersion: '15',
        creationTimestamp: '2026-11-15T22:36:03Z',
        labels: { 'kubernetes.io/metadata.name': 'default' },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
    expect(Buffer.from(encodeBody(namespace) ?? []).toString('hex')).toBe(bytes);
    expect(decodeEnveloped(openEnvelope(Buffer.from(bytes, 'hex')))).toMatchObject(namespace);
  });

  it('frames the events of a watch', () => {
    const event = Buffer.from(encodeEvent('ADDED', { kind: 'Status', apiVersion: 'v1' }) ?? []);
    expect(event.readUInt32BE()).toBe(event.length - 4);
    expect(event.subarray(4, 11).toString()).toBe('\n\u0005ADDED');
  });

  it('never fails in any other way than by saying that it is no protobuf', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const pod = Buffer.from(encodeBody({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' } }) ?? []);
        const cut = Buffer.concat([pod.subarray(0, 30), noise]);
        try {
          decodeEnveloped(openEnvelope(cut));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});
