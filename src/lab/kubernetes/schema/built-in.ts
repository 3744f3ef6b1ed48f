import { type FieldFact, goName, type Scalar, structFacts, type TypeFact } from './field-facts.js';
import { ANY, type FieldSchema, type ScalarType, type Schema, type StructSchema } from './schema.js';

const SCALARS: Readonly<Record<Scalar, ScalarType | undefined>> = {
  s: 'string',
  b: 'boolean',
  n: 'int32',
  l: 'int64',
  f: 'float',
  y: 'bytes',
  i: 'int-or-string',
  q: 'quantity',
  t: 'time',
  u: 'micro-time',
  d: 'duration',
  r: undefined,
  F: undefined,
  J: undefined,
};

/** A schema of its own language: what is in it is the business of the kinds that it defines. */
const FREE: ReadonlySet<string> = new Set(['apiextensions.JSONSchemaProps']);

const structs = new Map<string, StructSchema>();

/** The schema of a type such as `core.Pod`, from the generated field facts. */
export function builtInSchema(id: string): StructSchema {
  const known = structs.get(id);
  if (known) return known;
  const fields = new Map<string, FieldSchema>();
  const { atomic, fields: facts } = structFacts(id);
  const schema: StructSchema = { kind: 'struct', id, fields, atomic, open: false };
  structs.set(id, schema);
  if (TOP_LEVEL.test(id) && facts.some((fact) => fact.name === 'metadata')) {
    for (const name of ['apiVersion', 'kind']) fields.set(name, TEXT);
  }
  for (const fact of facts) {
    if (fact.name !== '') fields.set(fact.name, fieldSchema(fact));
    else if (fact.type.is === 'struct') {
      const via = fact.type.id.split('.')[1] ?? '';
      for (const [name, field] of builtInSchema(fact.type.id).fields) {
        fields.set(name, { ...field, via: [via, ...(field.via ?? [])] });
      }
    }
  }
  return schema;
}

/** Templates have metadata and are no objects of their own. */
const TOP_LEVEL = /^(?!.*TemplateSpec$|.*ClaimTemplate$)/;
const TEXT: FieldSchema = {
  schema: { kind: 'scalar', type: 'string', go: 'string' },
  required: false,
  zero: undefined,
  dropZero: true,
};

function fieldSchema(fact: FieldFact): FieldSchema {
  const schema = schemaOf(fact.type, fact);
  const held = fact.pointer || fact.omitZero;
  return {
    schema,
    required: fact.required,
    zero: fact.omitEmpty && (held || !isGoStruct(fact.type)) ? undefined : zeroOf(fact),
    dropZero: fact.omitEmpty && !fact.pointer,
  };
}

/** Go's `omitempty` never leaves out a struct. */
function isGoStruct(type: TypeFact): boolean {
  return type.is === 'struct' || (type.is === 'scalar' && 'tuqidrFJ'.includes(type.scalar));
}

/** What Go writes for a field that was never set. */
function zeroOf({ pointer, type }: FieldFact): unknown {
  if (pointer || type.is === 'list' || type.is === 'map') return null;
  if (type.is === 'struct') return {};
  switch (type.scalar) {
    case 's':
      return '';
    case 'b':
      return false;
    case 'n':
    case 'l':
    case 'f':
    case 'i':
      return 0;
    case 'q':
      return '0';
    case 'd':
      return '0s';
    default:
      return null;
  }
}

function schemaOf(type: TypeFact, fact: FieldFact | undefined): Schema {
  switch (type.is) {
    case 'scalar': {
      const scalar = SCALARS[type.scalar];
      return scalar ? { kind: 'scalar', type: scalar, go: goName(type) } : ANY;
    }
    case 'map':
      return {
        kind: 'map',
        of: schemaOf(type.of, undefined),
        atomic: fact?.atomic ?? false,
        go: goName(type),
      };
    case 'list':
      return {
        kind: 'list',
        of: schemaOf(type.of, undefined),
        keys: fact?.keys ?? [],
        set: fact?.set ?? false,
        mergeKey: fact?.mergeKey,
        mergeSet: fact?.mergeSet ?? false,
        go: goName(type),
      };
    case 'struct': {
      if (FREE.has(type.id)) return ANY;
      const schema = builtInSchema(type.id);
      return fact?.atomic === true && !schema.atomic ? { ...schema, atomic: true } : schema;
    }
  }
}
