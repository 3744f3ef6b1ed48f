import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { isObj } from '../json.js';
import { type Read, readBase64, readTime } from './go-values.js';
import { canonicalQuantity, quantityFault } from './quantity.js';
import type { FieldSchema, ListSchema, ScalarSchema, Schema, StructSchema } from './schema.js';

/** What decoding into a Go type and encoding it again finds out about a value. */
interface Findings {
  /** `spec.nope`, `spec.containers[0].nope`: in the order of the text, as the decoder reports them. */
  readonly unknown: string[];
  /** What cannot be decoded, in the decoder's words; it reports the first. */
  readonly faults: string[];
  /** Of a custom kind: what is wrong with its own fields is not the decoder's to say. */
  readonly custom: boolean;
  /** Empty lists that Go would write as they came stay so: whoever sent one owns it. */
  readonly keepEmpty: boolean;
}

/**
 * The value as the API server would write it back: unknown fields gone, nulls and empty collections left out, fields
 * without `omitempty` filled in, quantities in canonical form.
 */
export function canonical(value: unknown, schema: Schema, findings: Findings): unknown {
  return visit(value, schema, undefined, findings);
}

export function noFindings(custom = false, keepEmpty = false): Findings {
  return { unknown: [], faults: [], custom, keepEmpty };
}

/** Where a value is, from the inside out. Most values are fine: texts are made of it only where one is not. */
interface Place {
  readonly above: Place | undefined;
  /** `spec`, `[0]`, a key of a map. */
  readonly step: string;
  /** Of a struct's field alone. */
  readonly of?: StructSchema;
  readonly field?: FieldSchema;
}

function rootOf(place: Place | undefined): string {
  return place?.above ? rootOf(place.above) : (place?.step ?? '');
}

/** For clients: `spec.containers[0].name`. */
function pathOf(place: Place | undefined): string {
  if (!place) return '';
  const above = pathOf(place.above);
  return place.step.startsWith('[') && !place.of ? `${above}${place.step}` : join(above, place.step);
}

/** In Go's words: `Container.spec.containers.name`. */
function goPathOf(place: Place | undefined): string {
  const steps: string[] = [];
  let struct: string | undefined;
  for (let at = place; at; at = at.above) {
    if (!at.of) continue;
    struct ??= at.of.id.split('.')[1] ?? '';
    steps.unshift(...(at.field?.via ?? []), at.step);
  }
  return `${struct ?? ''}.${steps.join('.')}`;
}

function visit(value: unknown, schema: Schema, place: Place | undefined, findings: Findings): unknown {
  switch (schema.kind) {
    case 'any':
      return value;
    case 'scalar':
      return scalar(value, schema, place, findings);
    case 'struct':
      if (value === null) return struct({}, schema, place, findings);
      return isObj(value)
        ? struct(value, schema, place, findings)
        : mismatch(value, goNameOf(schema), place, findings);
    case 'map': {
      if (!isObj(value)) return mismatch(value, schema.go ?? 'object', place, findings);
      const milli = schema.of.kind === 'scalar' && schema.of.type === 'quantity';
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => {
          const kept = visit(item, schema.of, { above: place, step: key }, findings);
          return [key, milli && typeof kept === 'string' ? canonicalQuantity(kept, true) : kept];
        }),
      );
    }
    case 'list':
      return list(value, schema, place, findings);
  }
}

function goNameOf(schema: StructSchema): string {
  const [module = '', name = ''] = schema.id.split('.');
  return `${module === 'autoscalingv2' ? 'v2' : 'v1'}.${name}`;
}

function list(value: unknown, schema: ListSchema, place: Place | undefined, findings: Findings): unknown {
  if (!Array.isArray(value)) return mismatch(value, schema.go ?? 'array', place, findings);
  return value.map((item, index) => visit(item, schema.of, { above: place, step: `[${index}]` }, findings));
}

function struct(
  value: Record<string, unknown>,
  schema: StructSchema,
  place: Place | undefined,
  findings: Findings,
): unknown {
  const out: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const field = schema.fields.get(name);
    if (!field) {
      if (schema.open) setOwn(out, name, item);
      else findings.unknown.push(join(pathOf(place), name));
      continue;
    }
    if (item === null && field.nullable) setOwn(out, name, null);
    if (item === null || item === undefined) continue;
    const kept = visit(item, field.schema, { above: place, step: name, of: schema, field }, findings);
    // A custom kind has what it was sent; Go leaves out what is empty.
    const written = schema.id === '' || (findings.keepEmpty && field.zero === null);
    if (!written && isEmptyCollection(kept, field.schema)) continue;
    if (field.dropZero && (kept === false || kept === '' || kept === 0)) continue;
    setOwn(out, name, kept);
  }
  for (const [name, field] of schema.fields) {
    if (field.zero === undefined || ownValue(out, name) !== undefined) continue;
    out[name] = isObj(field.zero)
      ? visit(field.zero, field.schema, { above: place, step: name, of: schema, field }, findings)
      : field.zero;
  }
  return out;
}

/** Go's `omitempty` drops empty slices and maps, not structs behind a pointer (`emptyDir: {}`). */
function isEmptyCollection(value: unknown, schema: Schema): boolean {
  if (schema.kind === 'list') return Array.isArray(value) && value.length === 0;
  return schema.kind === 'map' && isObj(value) && Object.keys(value).length === 0;
}

const INT_LIMIT = { int32: 2 ** 31, int64: 2 ** 63 } as const;

function scalar(value: unknown, schema: ScalarSchema, place: Place | undefined, findings: Findings): unknown {
  const { type } = schema;
  const wrong = () => mismatch(value, schema.go ?? type, place, findings);
  switch (type) {
    case 'string':
      return value === null ? '' : typeof value === 'string' ? value : wrong();
    case 'int32':
    case 'int64': {
      if (value === null) return 0;
      if (typeof value !== 'number') return wrong();
      const limit = INT_LIMIT[type];
      if (Number.isInteger(value) && value >= -limit && value < limit) return value;
      return mismatch(value, schema.go ?? type, place, findings, ` ${value}`);
    }
    case 'float':
      return value === null ? 0 : typeof value === 'number' ? value : wrong();
    case 'boolean':
      return value === null ? false : typeof value === 'boolean' ? value : wrong();
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number' ? value : wrong();
    case 'quantity': {
      const text = value === null ? '0' : typeof value === 'object' ? '' : String(value);
      const fault = quantityFault(text);
      return readText(fault ? { fault } : { value: canonicalQuantity(text) }, findings);
    }
    case 'bytes':
      return typeof value === 'string' ? readText(readBase64(value), findings) : wrong();
    case 'time':
    case 'micro-time':
      return typeof value === 'string' ? readText(readTime(value, type === 'micro-time'), findings) : wrong();
    case 'duration':
      return typeof value === 'string' ? value : wrong();
  }
}

function readText(read: Read, findings: Findings): string | undefined {
  if ('value' in read) return read.value;
  findings.faults.push(read.fault);
  return undefined;
}

function mismatch(
  value: unknown,
  want: string,
  place: Place | undefined,
  findings: Findings,
  shown = '',
): unknown {
  if (value === null || value === undefined) return undefined;
  // The schema of a custom kind says itself what is wrong, but for what every object has.
  if (findings.custom && rootOf(place) !== 'metadata') return value;
  const got = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  findings.faults.push(
    `json: cannot unmarshal ${got}${shown} into Go struct field ${goPathOf(place)} of type ${want}`,
  );
  return undefined;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
