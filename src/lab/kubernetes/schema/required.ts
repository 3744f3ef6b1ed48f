import { isObj } from '../json.js';
import { type FieldError, requiredValue } from '../status.js';
import type { Schema } from './schema.js';

/**
 * Texts, lists and objects that a built-in type must have. Numbers and flags are left to the kinds: their zero is a value.
 */
export function missingFields(value: unknown, schema: Schema, path: string): FieldError[] {
  switch (schema.kind) {
    case 'struct': {
      if (!isObj(value)) return [];
      const errors: FieldError[] = [];
      for (const [name, field] of schema.fields) {
        const item = value[name];
        const where = path === '' ? name : `${path}.${name}`;
        if (field.required && isMissing(item, field.schema)) errors.push(requiredValue(where));
        else if (item !== undefined && item !== null)
          errors.push(...missingFields(item, field.schema, where));
      }
      return errors;
    }
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, index) => missingFields(item, schema.of, `${path}[${index}]`))
        : [];
    case 'map':
      return isObj(value)
        ? Object.entries(value).flatMap(([key, item]) => missingFields(item, schema.of, `${path}[${key}]`))
        : [];
    default:
      return [];
  }
}

function isMissing(value: unknown, schema: Schema): boolean {
  if (schema.kind === 'scalar') {
    return (schema.type === 'string' || schema.type === 'quantity') && (value === undefined || value === '');
  }
  return value === undefined || value === null;
}
