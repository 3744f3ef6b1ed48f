import { isObj } from '../json.js';
import { fieldOf, type Schema } from '../schema/schema.js';
import { pathText } from './field-set.js';
import { elementStep } from './typed-walk.js';

const ROOT = ['apiVersion', 'kind', 'metadata'];

/** The first unknown field or value of a wrong kind in what is applied (`structured-merge-diff`, typed/validate.go). */
export function typedFault(value: unknown, schema: Schema, path = ''): string | undefined {
  if (value === null || value === undefined) return undefined;
  const fault = (what: string) => `${path}: expected ${what}`;
  switch (schema.kind) {
    case 'any':
      return undefined;
    case 'struct':
    case 'map': {
      if (!isObj(value)) return fault(`map, got &{${goText(value)}}`);
      return first(Object.entries(value), ([name, item]) => {
        const unknown = schema.kind === 'struct' && !schema.open && !schema.fields.has(name);
        if (unknown && !(path === '' && ROOT.includes(name))) {
          return `${path}.${name}: field not declared in schema`;
        }
        return typedFault(item, fieldOf(schema, name), `${path}.${name}`);
      });
    }
    case 'list': {
      if (!Array.isArray(value)) return fault(`list, got &{${goText(value)}}`);
      return first([...value.entries()], ([index, item]) => {
        const step = schema.keys.length > 0 ? pathText([elementStep(item, schema)]) : `[${index}]`;
        return typedFault(item, schema.of, `${path}${step}`);
      });
    }
    case 'scalar':
      return scalarFault(value, schema.type, fault);
  }
}

function scalarFault(value: unknown, type: string, fault: (what: string) => string): string | undefined {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : fault(`boolean, got &{${goText(value)}}`);
    case 'int32':
    case 'int64':
    case 'float':
      return typeof value === 'number'
        ? undefined
        : fault('numeric (int or float), got *value.valueUnstructured');
    // A number or a text: anything goes.
    case 'int-or-string':
    case 'quantity':
      return undefined;
    default:
      return typeof value === 'string'
        ? undefined
        : fault(`string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  }
}

function first<T>(list: readonly T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = check(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Go's `%v` of a decoded JSON value: `map[spec:map[nope:true]]`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isObj(value)) {
    const parts = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goText(value[key])}`);
    return `map[${parts.join(' ')}]`;
  }
  return value === null ? '<nil>' : String(value);
}

/** Go's `%#v`. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isObj(value)) {
    const parts = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
    return `map[string]interface {}{${parts.join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : JSON.stringify(value);
}
