import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { builtInSchema } from './built-in.js';
import { ANY, type FieldSchema, type Schema, type StructSchema } from './schema.js';

function field(schema: Schema, required = false): FieldSchema {
  return { schema, required, zero: undefined, dropZero: false };
}

/** A custom kind's schema for pruning, merging and ownership; type, kind and metadata are the API's own. */
export function customSchema(openApi: Obj, typed = false): StructSchema {
  const of = schemaOf(openApi, typed);
  const own = of.kind === 'struct' ? of.fields : new Map<string, FieldSchema>();
  const fields = new Map([
    ...own,
    ['apiVersion', field({ kind: 'scalar', type: 'string' })] as const,
    ['kind', field({ kind: 'scalar', type: 'string' })] as const,
    ['metadata', field(builtInSchema('meta.ObjectMeta'))] as const,
  ]);
  const open = of.kind !== 'struct' || of.open;
  return { kind: 'struct', id: '', fields, atomic: false, open };
}

/** `typed`: with the types of single values, which only server-side apply asks for. */
function schemaOf(openApi: Obj, typed: boolean): Schema {
  if (openApi['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', type: 'int-or-string' };
  switch (openApi.type) {
    case 'object': {
      const atomic = openApi['x-kubernetes-map-type'] === 'atomic';
      if (isObj(openApi.additionalProperties)) {
        return { kind: 'map', of: schemaOf(openApi.additionalProperties, typed), atomic };
      }
      const open =
        openApi['x-kubernetes-preserve-unknown-fields'] === true ||
        openApi['x-kubernetes-embedded-resource'] === true;
      if (!isObj(openApi.properties)) {
        if (open || openApi.additionalProperties === true) return ANY;
      }
      const entries = Object.entries(objOf(openApi.properties));
      const fields = new Map(
        entries.map(([name, of]) => {
          const nullable = objOf(of).nullable === true;
          return [name, { ...field(schemaOf(objOf(of), typed)), ...(nullable ? { nullable } : {}) }];
        }),
      );
      return { kind: 'struct', id: '', fields, atomic, open };
    }
    case 'array': {
      const map = openApi['x-kubernetes-list-type'] === 'map';
      const keys = map ? listOf(openApi['x-kubernetes-list-map-keys']).map(textOf) : [];
      const set = openApi['x-kubernetes-list-type'] === 'set';
      return {
        kind: 'list',
        of: schemaOf(objOf(openApi.items), typed),
        keys,
        set,
        mergeKey: undefined,
        mergeSet: false,
      };
    }
    default:
      if (typed) return SCALARS[textOf(openApi.type)] ?? ANY;
      // Wrong types are the validation's to report, with its own texts.
      return ANY;
  }
}

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { kind: 'scalar', type: 'string' },
  integer: { kind: 'scalar', type: 'int64' },
  number: { kind: 'scalar', type: 'float' },
  boolean: { kind: 'scalar', type: 'boolean' },
};

/** Fills in `default:` where a field is missing. */
export function openApiDefaults(value: unknown, openApi: Obj): unknown {
  if (isObj(value)) {
    const out: Obj = { ...value };
    for (const [name, of] of Object.entries(objOf(openApi.properties))) {
      const schema = objOf(of);
      const given = ownValue(out, name) === undefined ? structuredClone(schema.default) : out[name];
      if (given !== undefined) setOwn(out, name, openApiDefaults(given, schema));
    }
    if (isObj(openApi.additionalProperties)) {
      for (const [name, item] of Object.entries(out))
        setOwn(out, name, openApiDefaults(item, openApi.additionalProperties));
    }
    return out;
  }
  if (Array.isArray(value)) return value.map((item) => openApiDefaults(item, objOf(openApi.items)));
  return value;
}
