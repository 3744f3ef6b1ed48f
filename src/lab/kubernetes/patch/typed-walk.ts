import { isObj, type Obj, sameJson } from '../json.js';
import { ANY, fieldOf, type ListSchema, type Schema } from '../schema/schema.js';
import { FieldSet } from './field-set.js';

/** How a value is owned: field by field, element by element, or as one. */
type Shape = 'fields' | 'keyed' | 'set' | 'leaf';

export function shapeOf(schema: Schema, value: unknown): Shape {
  switch (schema.kind) {
    case 'struct':
    case 'map':
      return schema.atomic ? 'leaf' : 'fields';
    case 'list':
      return schema.keys.length > 0 ? 'keyed' : schema.set ? 'set' : 'leaf';
    case 'any':
      return isObj(value) ? 'fields' : 'leaf';
    case 'scalar':
      return 'leaf';
  }
}

/** Schema defaults of list keys: a port without a protocol is a TCP port. */
const KEY_DEFAULTS: Record<string, unknown> = { protocol: 'TCP' };

export function elementStep(item: unknown, schema: ListSchema): string {
  if (schema.keys.length === 0) return `v:${JSON.stringify(item)}`;
  const keys: Obj = {};
  for (const key of [...schema.keys].sort()) {
    const value = isObj(item) ? (item[key] ?? KEY_DEFAULTS[key]) : undefined;
    if (value !== undefined) keys[key] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

function elementsOf(value: unknown, schema: ListSchema): Map<string, unknown> {
  const items = Array.isArray(value) ? value : [];
  return new Map(items.map((item) => [elementStep(item, schema), item]));
}

/** Everything a server-side apply mentions, and so owns. */
export function mentionedFields(value: unknown, schema: Schema): FieldSet {
  const set = new FieldSet();
  mention(value, schema, [], set);
  return set;
}

function mention(value: unknown, schema: Schema, path: string[], set: FieldSet): void {
  const shape = shapeOf(schema, value);
  if (shape === 'fields' && isObj(value)) {
    for (const [name, item] of Object.entries(value)) {
      const below = [...path, `f:${name}`];
      mention(item, fieldOf(schema, name), below, set);
      // Entries of a free map are owned themselves, declared fields only through what is in them.
      const declared = schema.kind === 'struct' && schema.fields.has(name);
      if (item === null || (isObj(item) && Object.keys(item).length === 0) || !declared) set.insert(below);
    }
  } else if ((shape === 'keyed' || shape === 'set') && schema.kind === 'list') {
    for (const [step, item] of elementsOf(value, schema)) {
      set.insert([...path, step]);
      if (shape === 'keyed') mention(item, schema.of, [...path, step], set);
    }
  } else if (path.length > 0) set.insert(path);
}

interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What changed between two values, field by field (`structured-merge-diff`, typed/compare.go). */
export function compareTyped(before: unknown, after: unknown, schema: Schema): Comparison {
  const out = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(before, after, schema, [], out);
  return out;
}

function compareAt(before: unknown, after: unknown, schema: Schema, path: string[], out: Comparison): void {
  const shape = shapeOf(schema, after ?? before);
  if (shape === 'leaf' || (isEmpty(before) && isEmpty(after))) {
    if (path.length === 0) return;
    if (before === undefined) {
      if (after !== undefined) out.added.insert(path);
    } else if (after === undefined) out.removed.insert(path);
    else if (!sameJson(before, after)) out.modified.insert(path);
    return;
  }
  const [left, right] = [childrenOf(before, schema, shape), childrenOf(after, schema, shape)];
  for (const step of new Set([...left.keys(), ...right.keys()])) {
    compareAt(left.get(step), right.get(step), childSchema(schema, step), [...path, step], out);
  }
  // A container that came or went is a path of its own: the `.` in managedFields.
  if (path.length === 0) return;
  // One that Go writes as null was there before.
  if (before === undefined) out.added.insert(path);
  else if (after === undefined) out.removed.insert(path);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObj(value) && Object.keys(value).length === 0;
}

function childrenOf(value: unknown, schema: Schema, shape: Shape): Map<string, unknown> {
  if (shape === 'fields') {
    const entries = isObj(value) ? Object.entries(value).filter(([, item]) => item !== undefined) : [];
    return new Map(entries.map(([name, item]) => [`f:${name}`, item]));
  }
  return schema.kind === 'list' ? elementsOf(value, schema) : new Map();
}

export function childSchema(schema: Schema, step: string): Schema {
  if (step.startsWith('f:')) return fieldOf(schema, step.slice(2));
  return schema.kind === 'list' && step.startsWith('k:') ? schema.of : ANY;
}
