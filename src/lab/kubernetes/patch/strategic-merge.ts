import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { isObj, type Obj, sameJson } from '../json.js';
import { fieldOf, type ListSchema, type Schema } from '../schema/schema.js';
import { ApiError } from '../status.js';
import { goText } from './typed-faults.js';

const ORDER = '$setElementOrder/';
const REMOVE = '$deleteFromPrimitiveList/';

/** Strategic merge patch: a merge patch that knows which lists are keyed (`apimachinery/pkg/util/strategicpatch`). */
export function strategicMerge(target: unknown, patch: unknown, schema: Schema): unknown {
  if (!isObj(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  if (patch.$patch === 'delete') return {};
  if (patch.$patch !== undefined) {
    const why = `unknown patch type: ${String(patch.$patch)} in map: ${goText(patch)}`;
    throw new ApiError(500, undefined, why);
  }
  const out: Obj = isObj(target) ? { ...target } : {};
  if (Array.isArray(patch.$retainKeys)) {
    for (const key of Object.keys(out)) if (!patch.$retainKeys.includes(key)) delete out[key];
  }
  if (patch.$setElementOrder !== undefined) throw orderWithoutField(patch.$setElementOrder);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete out[key];
    else setOwn(out, key, mergeField(ownValue(out, key), value, fieldOf(schema, key)));
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(REMOVE)) dropScalars(out, key.slice(REMOVE.length), value);
    if (key.startsWith(ORDER)) reorder(out, key.slice(ORDER.length), value, schema);
  }
  return out;
}

/** The order is of a field, which stands behind a slash. */
function orderWithoutField(order: unknown): ApiError {
  if (Array.isArray(order)) {
    return new ApiError(400, 'BadRequest', 'invalid patch format of setElementOrder list');
  }
  const type = typeof order === 'number' ? 'int64' : isObj(order) ? 'map[string]interface {}' : typeof order;
  return new ApiError(500, undefined, `expected a []interface {}, but received a ${type}`);
}

function mergeField(target: unknown, value: unknown, schema: Schema): unknown {
  if (isObj(value)) {
    if (value.$patch === 'delete') return undefined;
    return strategicMerge(target, value, schema);
  }
  if (!Array.isArray(value) || schema.kind !== 'list') return value;
  if (schema.mergeKey !== undefined)
    return mergeKeyed(Array.isArray(target) ? target : [], value, schema, schema.mergeKey);
  if (schema.mergeSet) return [...new Set([...value, ...(Array.isArray(target) ? target : [])])];
  return value;
}

function mergeKeyed(target: unknown[], patch: unknown[], schema: ListSchema, key: string): unknown[] {
  if (patch.some((item) => isObj(item) && item.$patch === 'replace')) {
    return patch.filter((item) => !isObj(item) || item.$patch !== 'replace');
  }
  const out = [...target];
  // Where there is no list yet the patch is taken as it is.
  const merged = target.length > 0;
  for (const item of patch) {
    if (!isObj(item)) continue;
    if (merged && item[key] === undefined) {
      const why = `map: ${goText(item)} does not contain declared merge key: ${key}`;
      throw new ApiError(500, undefined, why);
    }
    const index = out.findIndex((other) => isObj(other) && sameJson(other[key], item[key]));
    if (item.$patch === 'delete') {
      if (index >= 0) out.splice(index, 1);
    } else if (index >= 0) out[index] = strategicMerge(out[index], item, schema.of);
    else out.push(strategicMerge({}, item, schema.of));
  }
  return inPatchOrder(out, target, patch, key);
}

/** What the patch names stands in the patch's order; the rest keeps its place to what was there before. */
function inPatchOrder(merged: unknown[], target: unknown[], patch: unknown[], key: string): unknown[] {
  const place = (list: unknown[], item: unknown) =>
    list.findIndex((other) => isObj(other) && isObj(item) && sameJson(other[key], item[key]));
  const others = merged.filter((item) => place(patch, item) < 0);
  const named = merged
    .filter((item) => place(patch, item) >= 0)
    .sort((a, b) => place(patch, a) - place(patch, b));
  const out: unknown[] = [];
  while (others.length > 0 && named.length > 0) {
    const [mine, theirs] = [place(target, others[0]), place(target, named[0])];
    out.push((theirs >= 0 && mine < theirs ? others : named).shift());
  }
  return [...out, ...others, ...named];
}

function dropScalars(out: Obj, field: string, values: unknown): void {
  const list = ownValue(out, field);
  if (Array.isArray(list) && Array.isArray(values))
    out[field] = list.filter((item) => !values.includes(item));
}

function reorder(out: Obj, field: string, order: unknown, schema: Schema): void {
  const list = ownValue(out, field);
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  const of = fieldOf(schema, field);
  const key = of.kind === 'list' ? of.mergeKey : undefined;
  const identity = (item: unknown) => (key !== undefined && isObj(item) ? item[key] : item);
  const wanted = order.map(identity);
  const place = (item: unknown) => {
    const index = wanted.findIndex((other) => sameJson(other, identity(item)));
    return index < 0 ? wanted.length : index;
  };
  out[field] = [...list].sort((a, b) => place(a) - place(b));
}

function without(value: Obj, field: string): Obj {
  const { [field]: _, ...rest } = value;
  return rest;
}
