import { isObj } from '../json.js';
import { canonicalQuantity } from './quantity.js';
import type { ListSchema, ScalarType, Schema, StructSchema } from './schema.js';

/** What decoding into a Go type and encoding it again finds out about a value. */
export interface Findings {
  /** `spec.nope`, `spec.containers[0].nope`: in the order of their text, as the decoder reports them. */
  readonly unknown: string[];
  readonly wrongType: { readonly path: string; readonly got: string; readonly want: string }[];
}

/**
 * The value as the API server would write it back: unknown fields gone, nulls and empty collections left out, fields
 * without `omitempty` filled in, quantities in canonical form.
 */
export function canonical(value: unknown, schema: Schema, findings: Findings): unknown {
  return visit(value, schema, '', findings);
}

export function noFindings(): Findings {
  return { unknown: [], wrongType: [] };
}

function visit(value: unknown, schema: Schema, path: string, findings: Findings): unknown {
  switch (schema.kind) {
    case 'any':
      return value;
    case 'scalar':
      return scalar(value, schema.type, path, findings);
    case 'struct':
      return isObj(value) ? struct(value, schema, path, findings) : mismatch(value, 'object', path, findings);
    case 'map': {
      if (!isObj(value)) return mismatch(value, 'map', path, findings);
      const entries = Object.entries(value).filter(([, item]) => item !== null);
      return Object.fromEntries(
        entries.map(([key, item]) => [key, visit(item, schema.of, join(path, key), findings)]),
      );
    }
    case 'list':
      return list(value, schema, path, findings);
  }
}

function list(value: unknown, schema: ListSchema, path: string, findings: Findings): unknown {
  if (!Array.isArray(value)) return mismatch(value, 'list', path, findings);
  return value.map((item, index) => visit(item, schema.of, `${path}[${index}]`, findings));
}

function struct(
  value: Record<string, unknown>,
  schema: StructSchema,
  path: string,
  findings: Findings,
): unknown {
  const out: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const field = schema.fields.get(name);
    const where = join(path, name);
    if (!field) {
      if (schema.open) out[name] = item;
      else findings.unknown.push(where);
      continue;
    }
    if (item === null || item === undefined) continue;
    const kept = visit(item, field.schema, where, findings);
    if (isEmptyCollection(kept, field.schema)) continue;
    if (field.dropZero && (kept === false || kept === '' || kept === 0)) continue;
    out[name] = kept;
  }
  for (const [name, field] of schema.fields) {
    if (field.zero === undefined || out[name] !== undefined) continue;
    out[name] = isObj(field.zero) ? visit(field.zero, field.schema, join(path, name), findings) : field.zero;
  }
  return out;
}

/** Go's `omitempty` drops empty slices and maps, not structs behind a pointer (`emptyDir: {}`). */
function isEmptyCollection(value: unknown, schema: Schema): boolean {
  if (schema.kind === 'list') return Array.isArray(value) && value.length === 0;
  return schema.kind === 'map' && isObj(value) && Object.keys(value).length === 0;
}

function scalar(value: unknown, type: ScalarType, path: string, findings: Findings): unknown {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : mismatch(value, 'string', path, findings);
    case 'number':
      return typeof value === 'number' ? value : mismatch(value, 'int32', path, findings);
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(value, 'bool', path, findings);
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number'
        ? value
        : mismatch(value, 'int or string', path, findings);
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number'
        ? canonicalQuantity(String(value))
        : mismatch(value, 'quantity', path, findings);
  }
}

function mismatch(value: unknown, want: string, path: string, findings: Findings): unknown {
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (got !== 'null') findings.wrongType.push({ path, got: got === 'boolean' ? 'bool' : got, want });
  return undefined;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
