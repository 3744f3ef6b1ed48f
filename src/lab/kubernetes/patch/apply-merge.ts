import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { clone, isObj, type Obj } from '../json.js';
import { fieldOf, type ListSchema, type Schema } from '../schema/schema.js';
import type { FieldSet } from './field-set.js';
import { childSchema, elementStep, shapeOf } from './typed-walk.js';

/** Lays an applied configuration over the live object; elements that are there keep their order. */
export function applyMerge(live: unknown, applied: unknown, schema: Schema): unknown {
  const shape = shapeOf(schema, applied);
  if (shape === 'fields' && isObj(applied)) {
    const out: Obj = isObj(live) ? { ...live } : {};
    for (const [name, value] of Object.entries(applied))
      setOwn(out, name, applyMerge(ownValue(out, name), value, fieldOf(schema, name)));
    return out;
  }
  if ((shape === 'keyed' || shape === 'set') && schema.kind === 'list')
    return mergeElements(live, applied, schema);
  return clone(applied);
}

function mergeElements(live: unknown, applied: unknown, schema: ListSchema): unknown[] {
  const out = Array.isArray(live) ? [...live] : [];
  for (const item of Array.isArray(applied) ? applied : []) {
    const step = elementStep(item, schema);
    const index = out.findIndex((other) => elementStep(other, schema) === step);
    if (index < 0) out.push(clone(item));
    else out[index] = applyMerge(out[index], item, schema.of);
  }
  return out;
}

/**
 * Takes away what the manager applied last time and does not mention any more, unless someone else owns it
 * (`structured-merge-diff`, merge/update.go `prune`).
 */
export function prune(
  value: unknown,
  last: FieldSet,
  now: FieldSet | undefined,
  others: FieldSet | undefined,
  schema: Schema,
): unknown {
  let out = value;
  for (const [step, was] of last.children) {
    const [kept, owned] = [now?.children.get(step), others?.children.get(step)];
    const child = readStep(out, step, schema);
    if (child === undefined) continue;
    if (was.member && !kept && !owned) out = writeStep(out, step, schema, undefined);
    else if (was.children.size > 0) {
      out = writeStep(out, step, schema, prune(child, was, kept, owned, childSchema(schema, step)));
    }
  }
  return out;
}

function readStep(value: unknown, step: string, schema: Schema): unknown {
  if (step.startsWith('f:')) return isObj(value) ? ownValue(value, step.slice(2)) : undefined;
  if (!Array.isArray(value) || schema.kind !== 'list') return undefined;
  return value.find((item) => elementStep(item, schema) === step);
}

function writeStep(value: unknown, step: string, schema: Schema, child: unknown): unknown {
  if (step.startsWith('f:')) {
    const { [step.slice(2)]: _, ...rest } = isObj(value) ? value : {};
    return child === undefined ? rest : { ...rest, [step.slice(2)]: child };
  }
  if (!Array.isArray(value) || schema.kind !== 'list') return value;
  const isIt = (item: unknown) => elementStep(item, schema) === step;
  return child === undefined
    ? value.filter((item) => !isIt(item))
    : value.map((item) => (isIt(item) ? child : item));
}
