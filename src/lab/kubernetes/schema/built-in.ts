import { FIELDS } from '../gen/fields.js';
import {
  ATOMIC_MAPS,
  ATOMIC_STRUCTS,
  DROPPED_WHEN_ZERO,
  KEYED_LISTS,
  NEWER_FIELDS,
  SET_LISTS,
  STRATEGIC_KEYS,
  ZERO_FIELDS,
} from './facts.js';
import { ANY, type FieldSchema, type ScalarType, type Schema, type StructSchema } from './schema.js';

const SCALARS: Record<string, ScalarType> = {
  s: 'string',
  n: 'number',
  b: 'boolean',
  i: 'int-or-string',
  q: 'quantity',
};

const structs = new Map<string, StructSchema>();

/** The schema of a type such as `core.Pod`, from the generated field facts. */
export function builtInSchema(id: string): StructSchema {
  const known = structs.get(id);
  if (known) return known;
  const text = FIELDS[id];
  if (text === undefined) throw new Error(`no field facts for ${id}`);
  const fields = new Map<string, FieldSchema>();
  const schema: StructSchema = { kind: 'struct', id, fields, atomic: ATOMIC_STRUCTS.has(id), open: false };
  structs.set(id, schema);
  const zeros = ZERO_FIELDS[id] ?? {};
  for (const field of [...text.split(' '), ...(NEWER_FIELDS[id]?.split(' ') ?? [])].filter(Boolean)) {
    const [label = '', type = ''] = field.split(':');
    const name = label.replace('!', '');
    fields.set(name, {
      schema: schemaOf(type, `${id}.${name}`),
      required: label.endsWith('!'),
      zero: zeros[name],
      dropZero: DROPPED_WHEN_ZERO.has(`${id}.${name}`),
    });
  }
  return schema;
}

function schemaOf(type: string, place: string): Schema {
  const scalar = SCALARS[type];
  if (scalar) return { kind: 'scalar', type: scalar };
  if (type === '*') return ANY;
  if (type.startsWith('{')) {
    return { kind: 'map', of: schemaOf(type.slice(1), ''), atomic: ATOMIC_MAPS.has(place) };
  }
  if (type.startsWith('[')) {
    const keys = KEYED_LISTS[place] ?? [];
    return {
      kind: 'list',
      of: schemaOf(type.slice(1), ''),
      keys,
      set: SET_LISTS.has(place),
      mergeKey: STRATEGIC_KEYS[place] ?? keys[0],
    };
  }
  return builtInSchema(type);
}
