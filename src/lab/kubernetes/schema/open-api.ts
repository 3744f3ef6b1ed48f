import { isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import { builtInSchema } from './built-in.js';
import { ANY, type FieldSchema, type Schema, type StructSchema } from './schema.js';

function field(schema: Schema, required = false): FieldSchema {
  return { schema, required, zero: undefined, dropZero: false };
}

/** A custom kind's schema for pruning, merging and ownership; type, kind and metadata are the API's own. */
export function customSchema(openApi: Obj): StructSchema {
  const of = schemaOf(openApi);
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

function schemaOf(openApi: Obj): Schema {
  if (openApi['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', type: 'int-or-string' };
  switch (openApi.type) {
    case 'object': {
      const atomic = openApi['x-kubernetes-map-type'] === 'atomic';
      if (isObj(openApi.additionalProperties)) {
        return { kind: 'map', of: schemaOf(openApi.additionalProperties), atomic };
      }
      const open =
        openApi['x-kubernetes-preserve-unknown-fields'] === true ||
        openApi['x-kubernetes-embedded-resource'] === true;
      if (!isObj(openApi.properties)) {
        if (open || openApi.additionalProperties === true) return ANY;
      }
      const entries = Object.entries(objOf(openApi.properties));
      const fields = new Map(entries.map(([name, of]) => [name, field(schemaOf(objOf(of)))]));
      return { kind: 'struct', id: '', fields, atomic, open };
    }
    case 'array': {
      const map = openApi['x-kubernetes-list-type'] === 'map';
      const keys = map ? listOf(openApi['x-kubernetes-list-map-keys']).map(textOf) : [];
      const set = openApi['x-kubernetes-list-type'] === 'set';
      return {
        kind: 'list',
        of: schemaOf(objOf(openApi.items)),
        keys,
        set,
        mergeKey: undefined,
        mergeSet: false,
      };
    }
    default:
      // Wrong types are the validation's to report, with its own texts.
      return ANY;
  }
}

/** Fills in `default:` where a field is missing. */
export function openApiDefaults(value: unknown, openApi: Obj): unknown {
  if (isObj(value)) {
    const out: Obj = { ...value };
    for (const [name, of] of Object.entries(objOf(openApi.properties))) {
      const schema = objOf(of);
      if (out[name] === undefined && schema.default !== undefined)
        out[name] = structuredClone(schema.default);
      if (out[name] !== undefined) out[name] = openApiDefaults(out[name], schema);
    }
    if (isObj(openApi.additionalProperties)) {
      for (const [name, item] of Object.entries(out))
        out[name] = openApiDefaults(item, openApi.additionalProperties);
    }
    return out;
  }
  if (Array.isArray(value)) return value.map((item) => openApiDefaults(item, objOf(openApi.items)));
  return value;
}

/** Structural checks with the texts of `kube-openapi/pkg/validation`; CEL rules are not evaluated. */
export function openApiErrors(value: unknown, openApi: Obj, path: string): FieldError[] {
  if (value === null && openApi.nullable === true) return [];
  const wrong = typeError(value, openApi, path);
  if (wrong) return [wrong];
  const errors: FieldError[] = [];
  if (isObj(value)) {
    for (const [name, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const of = objOf(openApi.properties)[name] ?? openApi.additionalProperties;
      if (isObj(of)) errors.push(...openApiErrors(item, of, path === '' ? name : `${path}.${name}`));
    }
    for (const name of listOf(openApi.required).map(textOf)) {
      if (value[name] === undefined) errors.push(requiredValue(path === '' ? name : `${path}.${name}`));
    }
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      errors.push(...openApiErrors(item, objOf(openApi.items), `${path}[${index}]`));
    });
    if (typeof openApi.maxItems === 'number' && value.length > openApi.maxItems) {
      errors.push(
        invalidValue(path, value.length, `${path} in body should have at most ${openApi.maxItems} items`),
      );
    }
    if (typeof openApi.minItems === 'number' && value.length < openApi.minItems) {
      errors.push(
        invalidValue(path, value.length, `${path} in body should have at least ${openApi.minItems} items`),
      );
    }
  }
  return [...errors, ...scalarErrors(value, openApi, path)];
}

function scalarErrors(value: unknown, openApi: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const bad = (detail: string) => errors.push(invalidValue(path, value, `${path} in body ${detail}`));
  if (Array.isArray(openApi.enum) && !openApi.enum.some((item) => sameJson(item, value))) {
    errors.push(unsupportedValue(path, value, openApi.enum.map(String)));
  }
  if (typeof value === 'number') {
    if (typeof openApi.minimum === 'number' && value < openApi.minimum)
      bad(`should be greater than or equal to ${openApi.minimum}`);
    if (typeof openApi.maximum === 'number' && value > openApi.maximum)
      bad(`should be less than or equal to ${openApi.maximum}`);
  }
  if (typeof value === 'string') {
    if (typeof openApi.pattern === 'string' && !matches(openApi.pattern, value))
      bad(`should match '${openApi.pattern}'`);
    if (typeof openApi.minLength === 'number' && value.length < openApi.minLength)
      bad(`should be at least ${openApi.minLength} chars long`);
    if (typeof openApi.maxLength === 'number' && value.length > openApi.maxLength)
      bad(`should be at most ${openApi.maxLength} chars long`);
  }
  return errors;
}

/** Patterns are Go's; one that this language cannot read is not checked. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function typeError(value: unknown, openApi: Obj, path: string): FieldError | undefined {
  const type = textOf(openApi.type);
  if (type === '' || openApi['x-kubernetes-int-or-string'] === true) return undefined;
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fits =
    type === 'integer' ? Number.isInteger(value) : type === 'number' ? got === 'number' : got === type;
  if (fits) return undefined;
  const shown = got === 'number' && Number.isInteger(value) ? 'integer' : got;
  return {
    field: path,
    type: 'TypeInvalid',
    detail: `Invalid value: "${shown}": ${path} in body must be of type ${type}: "${shown}"`,
  };
}
