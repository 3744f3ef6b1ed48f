/** From what a request brought to what a handler gets. */
import { PveError } from '../api.js';
import type { MethodSchema, ObjectSchema, PropertySchema, VariantSchema } from '../schema.js';
import {
  addError,
  checkObject,
  checkProperty,
  type Errors,
  type Fields,
  parsePropertyString,
  propertyOf,
  scalarText,
  UNKNOWN,
  type Value,
} from './check.js';

export interface Parameters {
  readonly values: Readonly<Record<string, string | number>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Values as they came, numbers too; `undefined`: the key came without one. */
  readonly sent: Readonly<Record<string, string | undefined>>;
}

/** Throws 400 with the `errors` map. `hasCpuModel` knows the cluster's own CPU models. */
export function readParameters(
  method: MethodSchema,
  fields: Fields,
  hasCpuModel: (name: string) => boolean,
): Parameters {
  const schema = method.parameters;
  for (const [key, value] of Object.entries(fields)) {
    const property = findProperty(schema, fields, key);
    if (property) fields[key] = legacyForm(value, property);
  }
  const errors = checkParameters(schema, fields);
  const cpu = cpuProblem(schema, fields, errors, hasCpuModel);
  if (cpu !== undefined) errors.cpu = cpu;
  if (Object.keys(errors).length > 0) throw PveError.parameter(errors);

  const values: Record<string, string | number> = Object.create(null);
  const lists: Record<string, readonly string[]> = Object.create(null);
  const sent: Record<string, string | undefined> = Object.create(null);
  for (const [key, value] of Object.entries(fields)) {
    sent[key] = value === null || typeof value === 'object' ? undefined : scalarText(value);
    if (value === null) values[key] = '';
    else if (Array.isArray(value)) lists[key] = value.map((item) => String(item));
    else if (typeof value !== 'object') {
      const type = findProperty(schema, fields, key)?.type;
      const numeric = type === 'integer' || type === 'boolean' || type === 'number';
      values[key] = numeric ? Number(scalarText(value)) : scalarText(value);
    }
  }
  return { values, lists, sent };
}

/** Forms have no lists: several values of a list parameter are one text, a single value of an array one item. */
function legacyForm(value: Value, property: PropertySchema): Value {
  if (Array.isArray(value)) {
    const joined = property.type === 'string' && property.format?.endsWith('-list');
    return joined ? value.map((item) => String(item ?? '')).join(',') : value;
  }
  if (property.type !== 'array' || typeof value === 'object' || typeof value === 'boolean') return value;
  return value && value !== '0' ? [value] : value;
}

function findProperty(
  schema: ObjectSchema | VariantSchema,
  fields: Fields,
  key: string,
): PropertySchema | undefined {
  if ('variants' in schema) {
    if (key === schema.typeProperty) return schema.typeSchema;
    const variant = schema.variants[String(fields[schema.typeProperty])];
    return variant && findProperty(variant, fields, key);
  }
  for (const part of schema.allOf ?? []) {
    const found = findProperty(part, fields, key);
    if (found) return found;
  }
  return schema.properties && propertyOf(schema.properties, key);
}

/** A custom CPU model must exist in the cluster, which the schema alone cannot tell. */
function cpuProblem(
  schema: ObjectSchema,
  fields: Fields,
  errors: Errors,
  hasCpuModel: (name: string) => boolean,
): string | undefined {
  const { cpu } = fields;
  if (typeof cpu !== 'string' || errors.cpu !== undefined) return undefined;
  if (schema.properties?.cpu?.format !== 'pve-vm-cpu-conf') return undefined;
  const { cputype = '' } = parsePropertyString('pve-vm-cpu-conf', cpu, 'cpu');
  const name = cputype.replace(/^custom-/, '');
  return cputype === name || hasCpuModel(name)
    ? undefined
    : `invalid format - Custom cputype '${name}' not found\n`;
}

export function checkParameters(schema: ObjectSchema | VariantSchema, fields: Fields): Errors {
  const errors: Errors = Object.create(null);
  for (const key of checkSchema(schema, fields, errors)) addError(errors, key, UNKNOWN);
  return errors;
}

/** Gives back the keys that the schema does not know. */
function checkSchema(
  schema: ObjectSchema | VariantSchema,
  fields: Fields,
  errors: Errors,
  path = '',
): Set<string> {
  const unknown = new Set<string>();
  if ('variants' in schema) {
    const type = fields[schema.typeProperty] ?? null;
    const variant = typeof type === 'string' ? schema.variants[type] : undefined;
    if (variant) {
      const place = `oneOf[${type}]`;
      for (const key of checkSchema(variant, fields, errors, place)) unknown.add(key);
      unknown.delete(schema.typeProperty);
      return unknown;
    }
    if (type !== null || !schema.optional)
      checkProperty(type, schema.typeSchema, schema.typeProperty, errors);
    for (const key of Object.keys(fields)) if (key !== schema.typeProperty) unknown.add(key);
    return unknown;
  }
  if (!schema.allOf) {
    checkObject(
      path,
      schema.properties ?? {},
      fields,
      schema.additionalProperties !== false,
      errors,
      unknown,
    );
    return unknown;
  }
  const parts = schema.allOf.map((part) => checkSchema(part, fields, errors, path));
  const [first = unknown, ...others] = parts;
  return new Set([...first].filter((key) => others.every((part) => part.has(key))));
}
