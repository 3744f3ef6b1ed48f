/** The keys and values of a property string, by the names that its format knows (PVE/JSONSchema.pm, parse_property_string). */
import type { FormatSchema } from '../schema.js';
import { isTrue } from './verify.js';

export class FormatError extends Error {}

type TextFields = Record<string, string>;

export function readPropertyFields(schema: FormatSchema, text: string): TextFields {
  const fields: TextFields = {};
  let defaultKey: string | undefined;
  for (const part of text.split(',')) {
    if (/^\s*$/.test(part)) continue;
    const [, key, value] = /^([^=]+)=([^\n]+)\n?$/.exec(part) ?? [];
    if (key !== undefined && value !== undefined) setKey(schema, fields, key, value);
    else if (part.includes('=')) throw new FormatError('missing key in comma-separated list property\n');
    else defaultKey = setDefault(schema, fields, part, defaultKey);
  }
  return fields;
}

function setKey(schema: FormatSchema, fields: TextFields, key: string, value: string): void {
  if (Object.hasOwn(fields, key))
    throw new FormatError(`duplicate key in comma-separated list property: ${key}\n`);
  let name = key;
  let property = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (property?.alias !== undefined) {
    const { keyAlias } = property;
    if (keyAlias !== undefined) {
      if (Object.hasOwn(fields, keyAlias))
        throw new FormatError(`key alias '${keyAlias}' is already defined\n`);
      fields[keyAlias] = key;
    }
    name = property.alias;
    property = schema[name];
    if (Object.hasOwn(fields, name)) throw new FormatError(`key '${name}' is already defined (via alias)\n`);
  }
  // An unknown key is found by the check of the whole object (recordings next-id, backup-jobs).
  fields[name] = property?.type === 'boolean' ? parseBoolean(value) : value;
}

function setDefault(
  schema: FormatSchema,
  fields: TextFields,
  value: string,
  earlier: string | undefined,
): string {
  if (earlier !== undefined) {
    throw new FormatError(`duplicate key in comma-separated list property: ${earlier}\n`);
  }
  const [key, property] = Object.entries(schema).find(([, candidate]) => candidate.defaultKey) ?? [];
  if (key === undefined)
    throw new FormatError('value without key, but schema does not define a default key\n');
  // A value that Perl takes for false is replaced without a word.
  if (isTrue(fields[key] ?? '')) {
    throw new FormatError(`duplicate key in comma-separated list property: ${key}\n`);
  }
  fields[key] = property?.type === 'boolean' ? parseBoolean(value) : value;
  return key;
}

/** Only inside property strings are `on`, `yes` and `true` booleans. */
function parseBoolean(text: string): string {
  if (/^(1|on|yes|true)\n?$/i.test(text)) return '1';
  if (/^(0|off|no|false)\n?$/i.test(text)) return '0';
  return text;
}
