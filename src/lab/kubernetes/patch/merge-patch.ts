import { isObj, type Obj, sameJson } from '../json.js';

/** JSON merge patch, RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObj(patch)) return patch;
  const out: Record<string, unknown> = isObj(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = mergePatch(out[key], value);
  }
  return out;
}

/** The merge patch that makes `to` of `from`; `undefined`: they are the same. */
export function mergePatchBetween(from: Obj, to: Obj): Obj | undefined {
  const patch: Obj = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[key], to[key]];
    if (sameJson(before, after)) continue;
    if (isObj(before) && isObj(after)) patch[key] = mergePatchBetween(before, after);
    else patch[key] = after === undefined ? null : after;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
