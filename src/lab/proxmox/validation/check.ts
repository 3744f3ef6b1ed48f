/**
 * Checks values against the API schema as Proxmox VE does (pve-common, PVE/JSONSchema.pm), with its texts.
 * The recording `invalid-params-create` shows most of them.
 */
import { FORMATS, INDEXED } from '../gen/schema.js';
import type { FormatSchema, PropertySchema } from '../schema.js';
import { codeFormat, splitList } from './formats.js';
import { OWN_FORMATS } from './own-formats.js';
import { FormatError, readPropertyFields } from './property-fields.js';
import { formatValidator } from './validators.js';

/** A value as it came with the request. `null`: the key was sent without a value. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
export type Fields = { [key: string]: Value };
export type Errors = Record<string, string>;

export const UNKNOWN =
  'property is not defined in schema and the schema does not allow additional properties';
const MISSING = 'property is missing and it is not optional';

export function addError(errors: Errors, path: string, message: string): void {
  const place = path || '_root';
  const earlier = errors[place];
  // Proxmox joins with a backslash and an n, not with a line break.
  errors[place] = earlier === undefined ? message : `${earlier}\\n${message}`;
}

const below = (path: string, key: string) => (path ? `${path}.${key}` : key);
const isNumber = (text: string) => /^[+-]?(\d+\.\d+|\d+\.|\.\d+|\d+)([eE][+-]?\d+)?\n?$/.test(text);
const isInteger = (text: string) => /^[+-]?\d+\n?$/.test(text);

/** How many a container has of each. */
const OF_CONTAINERS: Readonly<Record<string, number>> = { mp: 256, dev: 256 };

/** The schema of a property, where `scsi3` is one of `scsi[n]`. */
export function propertyOf(
  properties: Readonly<Record<string, PropertySchema>>,
  name: string,
): PropertySchema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  const [, base, index] = /^([a-z]+)(0|[1-9]\d*)$/.exec(name) ?? [];
  if (base === undefined || Number(index) >= (INDEXED[base] ?? OF_CONTAINERS[base] ?? 0)) return undefined;
  return properties[`${base}[n]`];
}

export function checkObject(
  path: string,
  properties: Readonly<Record<string, PropertySchema>>,
  fields: Fields,
  additionalProperties: boolean,
  errors: Errors,
  unknown?: Set<string>,
): void {
  for (const key of Object.keys(fields)) {
    const alias = Object.hasOwn(properties, key) ? properties[key]?.alias : undefined;
    if (alias === undefined) continue;
    if (fields[alias] !== undefined && fields[alias] !== null) {
      addError(errors, below(path, key), `cannot set both '${key}' and its alias target '${alias}'`);
    } else {
      fields[alias] = fields[key] ?? null;
      delete fields[key];
    }
  }
  for (const [key, property] of Object.entries(properties)) {
    if (!property.optional && !Object.hasOwn(fields, key))
      checkProperty(null, property, below(path, key), errors);
  }
  for (const [key, value] of Object.entries(fields)) {
    const property = propertyOf(properties, key);
    if (property) {
      checkProperty(value, property, below(path, key), errors);
      const required = property.requires;
      if (required !== undefined && (fields[required] ?? null) === null) {
        addError(errors, below(path, required), `missing property required by '${below(path, key)}'`);
      }
    } else if (!additionalProperties) {
      if (unknown) unknown.add(key);
      else addError(errors, below(path, key), UNKNOWN);
    }
  }
}

export function checkProperty(value: Value, schema: PropertySchema, path: string, errors: Errors): void {
  if (schema.alias !== undefined) return;
  if (value === null) {
    if (!schema.optional) addError(errors, path, MISSING);
    return;
  }
  if (!checkType(value, schema, path, errors)) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    for (const [index, item] of value.entries()) {
      if (items) checkProperty(item, items, `${path}[${index}]`, errors);
    }
    return;
  }
  if (typeof value === 'object') return;
  const problem = textProblem(scalarText(value), schema, path);
  if (problem !== undefined) addError(errors, path, problem);
}

/** What Perl makes of a scalar that came as JSON. */
export function scalarText(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value);
}

function checkType(
  value: Exclude<Value, null>,
  schema: PropertySchema,
  path: string,
  errors: Errors,
): boolean {
  const { type } = schema;
  if (type === undefined || type === 'any') return true;
  const fail = (detail = '') => {
    addError(errors, path, `type check ('${type}') failed${detail}`);
    return false;
  };
  if (type === 'array') return Array.isArray(value) || fail();
  if (typeof value === 'boolean') return type === 'boolean' || fail(' - got JSON::PP::Boolean');
  if (typeof value === 'object') return fail(` - got ${Array.isArray(value) ? 'ARRAY' : 'HASH'}`);
  const text = scalarText(value);
  if (type === 'boolean') return text === '0' || text === '1' || fail(` - got '${text}'`);
  if (type === 'integer') return isInteger(text) || fail(` - got '${text}'`);
  if (type === 'number') return isNumber(text) || fail(` - got '${text}'`);
  return true;
}

/** The first thing wrong with a scalar. */
function textProblem(text: string, schema: PropertySchema, path: string): string | undefined {
  const { format, pattern, maxLength, minLength, maximum, minimum } = schema;
  if (format !== undefined) {
    const problem = formatProblem(format, text, path);
    if (problem !== undefined) return `invalid format - ${problem}`;
  }
  // As in Proxmox, an alternation at the top of a pattern is not bracketed, and a line break at the end passes.
  if (pattern !== undefined && !compiled(`^${pattern.replace(/\$(?=\)?$)/, '(?=\\n?$)')}\n?$`).test(text)) {
    return 'value does not match the regex pattern';
  }
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) return `value may only be ${maxLength} characters long`;
  if (minLength !== undefined && length < minLength) {
    return `value must be at least ${minLength} characters long`;
  }
  if (isNumber(text)) {
    if (maximum !== undefined && Number(text) > maximum) {
      return `value must have a maximum value of ${maximum}`;
    }
    if (minimum !== undefined && Number(text) < minimum) {
      return `value must have a minimum value of ${minimum}`;
    }
  }
  if (schema.enum && !schema.enum.includes(text)) {
    return `value '${text}' does not have a value in the enumeration '${schema.enum.join(', ')}'`;
  }
  return undefined;
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  let expression = patterns.get(pattern);
  if (!expression) {
    expression = new RegExp(pattern);
    patterns.set(pattern, expression);
  }
  return expression;
}

/** What is wrong with the text, ending with a line break as Proxmox's messages do; `undefined`: nothing. */
export function formatProblem(format: string, text: string, path: string): string | undefined {
  if (FORMATS.has(format) || OWN_FORMATS.has(format)) {
    try {
      parsePropertyString(format, text, path);
      return undefined;
    } catch (error) {
      if (error instanceof FormatError) return error.message;
      throw error;
    }
  }
  const [, name = '', kind] = /^(.*?)(?:-(list|opt))?$/.exec(format) ?? [];
  const verify = codeFormat(name);
  if (kind === 'opt' && (text === '' || text === '0')) return undefined;
  const items = kind === 'list' ? splitList(text) : [text];
  for (const item of items) {
    const problem = verify(item);
    if (problem !== undefined) return `${problem}\n`;
  }
  return undefined;
}

export function propertyFormat(format: string): FormatSchema {
  const schema = FORMATS.get(format) ?? OWN_FORMATS.get(format);
  if (!schema) throw new Error(`no property string format ${format}`);
  return schema;
}

/** The keys of a property string, checked; throws `FormatError` with Proxmox's text. */
export function parsePropertyString(format: string, text: string, path = ''): Record<string, string> {
  const schema = propertyFormat(format);
  const fields: Fields = readPropertyFields(schema, text);
  const errors: Errors = Object.create(null);
  checkObject(path, schema, fields, false, errors);
  const lines = Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1));
  if (lines.length > 0) {
    throw new FormatError(
      `format error\n${lines.map(([place, message]) => `${place}: ${message}\n`).join('')}`,
    );
  }
  const parsed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
  const problem = formatValidator(format)?.(parsed);
  if (problem !== undefined) throw new FormatError(`${problem}\n`);
  return parsed;
}
