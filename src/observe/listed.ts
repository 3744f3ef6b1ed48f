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
  const entry = list.seen.find(([name]) => name === key);
  if (entry) return { state: 'present', value: entry[1] };
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
