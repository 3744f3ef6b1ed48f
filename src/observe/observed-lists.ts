/**
 * Lists that a lookup by key may conclude from. A key is present, absent or unread, never a missing key of a record:
 * a request that failed, and Proxmox, which leaves out what the token may not see, give a list that proves no absence.
 */
import type { Known } from './observed.js';

export interface Listed<T> {
  /** Entries that were seen; ask by key with `findIn`. */
  readonly seen: readonly (readonly [key: string, value: T])[];
  /** Why entries may be missing; absent: the list is complete. */
  readonly unlisted?: string;
}

export type Found<T> =
  | { readonly state: 'present'; readonly value: T }
  /** Proved: the list is complete, or the API was asked for this key. */
  | { readonly state: 'absent' }
  | { readonly state: 'unread'; readonly why: string };

/** The only way to conclude that an entry does not exist. */
export function findIn<T>(list: Listed<T>, key: string): Found<T> {
  const value = indexOf(list).get(key);
  if (value !== undefined) return { state: 'present', value };
  return list.unlisted === undefined ? { state: 'absent' } : { state: 'unread', why: list.unlisted };
}

/** An entry that is not among these may still exist. For showing and filtering, where absence leads to no act. */
export function visibleIn<T>({ seen }: Listed<T>): readonly T[] {
  return seen.map(([, value]) => value);
}

/** `undefined` proves nothing. For showing and filtering, where absence leads to no act. */
export function visibleEntry<T>(list: Listed<T>, key: string): T | undefined {
  const found = findIn(list, key);
  return found.state === 'present' ? found.value : undefined;
}

export function completeList<T>(entries: Readonly<Record<string, T>>): Listed<T> {
  return { seen: Object.entries(entries) };
}

export function unreadList<T>(why: string): Listed<T> {
  return { seen: [], unlisted: why };
}

export function listOf<T>(read: Known<Readonly<Record<string, T>>>): Listed<T> {
  return read.known ? completeList(read.value) : unreadList(read.why);
}

/** The same entries; what the token may not see is missing among them. */
export function shortened<T>(list: Listed<T>, why: string | undefined): Listed<T> {
  return why === undefined || list.unlisted !== undefined ? list : { ...list, unlisted: why };
}

/** With this entry in place of one of the same key: a list as a step will leave it. */
export function withEntry<T>(list: Listed<T>, key: string, value: T): Listed<T> {
  return { ...list, seen: [...list.seen.filter(([name]) => name !== key), [key, value]] };
}

const indexes = new WeakMap<object, ReadonlyMap<string, unknown>>();

/** A plan asks for each volume many times; the list itself never changes. */
function indexOf<T>(list: Listed<T>): ReadonlyMap<string, T> {
  const made = indexes.get(list.seen);
  // Only this function writes, under the list that the map is made from.
  if (made) return made as ReadonlyMap<string, T>;
  const index = new Map(list.seen);
  indexes.set(list.seen, index);
  return index;
}
