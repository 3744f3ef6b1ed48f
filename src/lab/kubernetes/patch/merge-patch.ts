import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { isObj, type Obj, sameJson } from '../json.js';

/** JSON merge patch, RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObj(patch)) return patch;
  const out: Record<string, unknown> = isObj(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else setOwn(out, key, mergePatch(ownValue(out, key), value));
  }
  return out;
}

/** The merge patch that makes `to` of `from`; `undefined`: they are the same. */
export function mergePatchBetween(from: Obj, to: Obj): Obj | undefined {
  const patch: Obj = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [ownValue(from, key), ownValue(to, key)];
    if (sameJson(before, after)) continue;
    if (isObj(before) && isObj(after)) setOwn(patch, key, mergePatchBetween(before, after));
    else setOwn(patch, key, after === undefined ? null : after);
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
