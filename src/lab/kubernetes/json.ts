/** Small tools for JSON values whose shape is known only at run time. */
import { ownValue, setOwn } from '../../formats/text/mapping.js';

export type Obj = Record<string, unknown>;

export function isObj(value: unknown): value is Obj {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objOf(value: unknown): Obj {
  return isObj(value) ? value : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}

/** The value at a path of object fields; `undefined` where the path ends early. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (!isObj(current)) return undefined;
    current = ownValue(current, step);
  }
  return current;
}

export function stringsOf(value: unknown): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [key, item] of Object.entries(objOf(value)))
    if (typeof item === 'string') setOwn(out, key, item);
  return out;
}

/** A copy of a JSON value that shares nothing with it. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isObj(value)) return value;
  const copy: Obj = {};
  for (const key of Object.keys(value)) setOwn(copy, key, clone(value[key]));
  return copy as T;
}

/** Equal as JSON: the order of fields does not matter, that of lists does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameJson(item, b[i]))
    );
  }
  if (!isObj(a) || !isObj(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  if (keys.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false;
  return keys.every((key) => ownValue(b, key) !== undefined && sameJson(a[key], b[key]));
}

/** Fields in alphabetical order at every level: one text per value. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObj(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
