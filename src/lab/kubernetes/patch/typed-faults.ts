import { isObj } from '../json.js';
import { fieldOf, type ListSchema, type Schema } from '../schema/schema.js';
import { pathText } from './field-set.js';
import { elementStep } from './typed-walk.js';

const ROOT = ['apiVersion', 'kind', 'metadata'];

/** Unknown fields and values of a wrong kind in what is applied (`structured-merge-diff`, typed/validate.go). */
export function typedFaults(value: unknown, schema: Schema, path = ''): string[] {
  if (value === null || value === undefined) return [];
  const fault = (what: string) => [`${path}: expected ${what}`];
  switch (schema.kind) {
    case 'any':
      return [];
    case 'struct':
    case 'map': {
      if (!isObj(value)) return fault(`map, got &{${goText(value)}}`);
      return Object.keys(value)
        .sort()
        .flatMap((name) => {
          const unknown = schema.kind === 'struct' && !schema.open && !schema.fields.has(name);
          if (unknown && !(path === '' && ROOT.includes(name))) {
            return [`${path}.${name}: field not declared in schema`];
          }
          return typedFaults(value[name], fieldOf(schema, name), `${path}.${name}`);
        });
    }
    case 'list': {
      if (!Array.isArray(value)) return fault(`list, got &{${goText(value)}}`);
      return elementFaults(value, schema, path);
    }
    case 'scalar':
      return scalarFaults(value, schema.type, fault);
  }
}

function elementFaults(list: readonly unknown[], schema: ListSchema, path: string): string[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const keyed = schema.keys.length > 0;
    const step = elementStep(item, schema);
    // The keys of built-in kinds all have defaults.
    if (
      keyed &&
      schema.go === undefined &&
      isObj(item) &&
      schema.keys.every((key) => item[key] === undefined)
    ) {
      const told = `[${schema.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
      return [
        `${path}: element ${index}: associative list with keys has an element that omits all key fields ${told} (and doesn't have default values for any key fields)`,
      ];
    }
    const twice = (keyed || schema.set) && seen.has(step);
    seen.add(step);
    const place = keyed ? pathText([step]) : `[${index}]`;
    if (twice) return [`${path}: duplicate entries for key ${pathText([step])}`];
    return typedFaults(item, schema.of, `${path}${place}`);
  });
}

function scalarFaults(value: unknown, type: string, fault: (what: string) => string[]): string[] {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : fault(`boolean, got &{${goText(value)}}`);
    case 'int32':
    case 'int64':
    case 'float':
      if (typeof value === 'number') return [];
      return fault(
        `numeric (int or float), got ${typeof value === 'string' ? 'string' : '*value.valueUnstructured'}`,
      );
    // A number or a text: anything goes.
    case 'int-or-string':
    case 'quantity':
      return [];
    default:
      return typeof value === 'string'
        ? []
        : fault(`string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  }
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
