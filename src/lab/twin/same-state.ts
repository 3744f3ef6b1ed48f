/**
 * Whether two twins of one beginning are alike but for when things happened: from there on they go the same way.
 * Records are replaced and never changed, so what neither has touched is one and the same.
 */
import type { KeptState } from '../state.js';

/** Counted, told or forgotten by itself: nothing that a plan or a simulator decides by. */
const LEFT_OUT =
  /^(?:lab|counters|timeline|pve\/tokens|talos\/counters|kubernetes\/[^/]+\/(?:counters|events|leases\..+|events\..+))$/;
/** Fields that say when, which version, or what was told on the way. */
const PASSING: ReadonlySet<string> = new Set([
  'resourceVersion',
  'managedFields',
  'log',
  'since',
  'bootedAt',
  'pid',
  'ctime',
  'index',
  'revision',
  'term',
  'revert',
  'renewTime',
]);
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b1[6-9]\d{11}\b/g;
/** Milliseconds since the epoch, of any year from 2020 on. */
const EPOCH_MS = 1_577_836_800_000;

/** What differs first, as `table key`; `undefined`: nothing. */
export function firstDifference(
  one: KeptState,
  other: KeptState,
  ignored: (table: string, key: string) => boolean = () => false,
): string | undefined {
  for (const table of new Set([...Object.keys(one.tables), ...Object.keys(other.tables)])) {
    if (LEFT_OUT.test(table)) continue;
    const others = new Map(other.tables[table] ?? []);
    for (const [key, record] of one.tables[table] ?? []) {
      const there = others.get(key);
      others.delete(key);
      if (record === there || ignored(table, key) || isPast(table, record)) continue;
      if (there === undefined || meaning(record) !== meaning(there)) return `${table} ${key}`;
    }
    for (const [key, record] of others)
      if (!ignored(table, key) && !isPast(table, record)) return `${table} ${key}`;
  }
  return undefined;
}

/** A task that has ended, or a note of when something was looked at. */
function isPast(table: string, record: unknown): boolean {
  if (table !== 'pve/tasks') return table === 'pve/settings';
  return record !== null && typeof record === 'object' && 'exitstatus' in record;
}

const meanings = new WeakMap<object, string>();

function meaning(record: unknown): string {
  if (record === null || typeof record !== 'object') return JSON.stringify(plain('', record)) ?? '';
  const known = meanings.get(record);
  if (known !== undefined) return known;
  const text = JSON.stringify(record, plain);
  meanings.set(record, text);
  return text;
}

function plain(key: string, value: unknown): unknown {
  if (PASSING.has(key)) return undefined;
  if (typeof value === 'number') return value > EPOCH_MS && value < 2 * EPOCH_MS ? 0 : value;
  return typeof value === 'string' ? value.replaceAll(TIMES, '(time)') : value;
}
