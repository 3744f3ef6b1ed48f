/**
 * Whether two twins of one beginning are alike but for when things happened: from there on they go the same way.
 * Records are replaced and never changed, so what a record means is found out once.
 */
import { createHash } from 'node:crypto';
import type { KeptState } from '../state.js';

/** Counted, told, derived from the rest, or forgotten by itself: nothing that a plan or a simulator decides by. */
const LEFT_OUT =
  /^(?:lab|counters|pve\/(?:tokens|settings)|talos\/counters|kubernetes\/[^/]+\/(?:counters|events|leases\..+|events\..+|endpoints|endpointslices\..+))$/;
/**
 * Fields that say when, how often, which version, or what was told on the way. `previous` is what an upgrade could fall back
 * to: the next upgrade writes it before anything reads it.
 */
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
  'previous',
]);
/** Of objects of Kubernetes also what is drawn or counted when they are created or start again. */
const DRAWN: ReadonlySet<string> = new Set([
  'uid',
  'bootID',
  'containerID',
  'generation',
  'observedGeneration',
  'restartCount',
  'podIP',
  'podIPs',
]);
/** Numbers that name one of many: a boot, the contents of a volume. Texts of that name say what a VM boots from, or who may ask. */
const NUMBERED: ReadonlySet<string> = new Set(['boot', 'token']);
/** The end of a name that was generated: no vowels, nothing that reads as another. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g;
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b1[6-9]\d{11}\b/g;
/** Milliseconds since the epoch, of any year from 2020 on. */
const EPOCH_MS = 1_577_836_800_000;

/**
 * Equal for twins that are alike. Times are left out, but for one that a run decides by: whether the last snapshot of etcd is
 * too old. A plan does not look at it (its step takes one where it is due), so no plan id and no approval depends on it.
 */
export function stateDigest(
  { tables }: Pick<KeptState, 'tables'>,
  ignored: (table: string, key: string) => boolean = () => false,
  snapshotMaxAgeMs = Number.POSITIVE_INFINITY,
): string {
  const boots = new Map(tables['talos/machines']?.map(([vmid, record]) => [vmid, fieldOf(record, 'boot')]));
  const lines: string[] = [];
  if (hasOldSnapshot(tables, snapshotMaxAgeMs)) lines.push('the snapshot of etcd is too old');
  for (const [table, rows] of Object.entries(tables)) {
    if (LEFT_OUT.test(table)) continue;
    for (const [key, record] of rows) {
      if (ignored(table, key) || isPast(table, record, boots)) continue;
      lines.push(`${table} ${nameIn(table, key)} ${meaningOf(table, record)}`);
    }
  }
  return digestOf(lines.sort().join('\n'));
}

function hasOldSnapshot(tables: KeptState['tables'], maxAgeMs: number): boolean {
  const now = Number(tables.lab?.find(([key]) => key === 'time')?.[1]);
  return (tables['talos/etcd'] ?? []).some(
    ([, record]) => now - Number(fieldOf(record, 'snapshotAt')) > maxAgeMs,
  );
}

/** What is to come has a new number each time. */
function nameIn(table: string, key: string): string {
  if (table === 'timeline') return '';
  return isKubernetes(table) ? key.replaceAll(GENERATED, '-*') : key;
}

function isKubernetes(table: string): boolean {
  return table.startsWith('kubernetes/');
}

export function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** A task that has ended, or what was meant for an earlier boot of a machine. */
function isPast(table: string, record: unknown, boots: ReadonlyMap<string, unknown>): boolean {
  if (table === 'pve/tasks') return fieldOf(record, 'exitstatus') !== undefined;
  const args = table === 'timeline' ? fieldOf(record, 'args') : undefined;
  const boot = fieldOf(args, 'boot');
  return boot !== undefined && boot !== boots.get(String(fieldOf(args, 'vmid')));
}

function fieldOf(record: unknown, name: string): unknown {
  return record !== null && typeof record === 'object'
    ? Object.entries(record).find(([key]) => key === name)?.[1]
    : undefined;
}

const meanings = new WeakMap<object, string>();

function meaningOf(table: string, record: unknown): string {
  if (record === null || typeof record !== 'object') return JSON.stringify(plain('', record)) ?? '';
  const known = meanings.get(record);
  if (known !== undefined) return known;
  const told = table === 'timeline' ? [fieldOf(record, 'kind'), fieldOf(record, 'args')] : record;
  const meaning = digestOf(JSON.stringify(told, isKubernetes(table) ? plainObject : plain));
  meanings.set(record, meaning);
  return meaning;
}

function plain(key: string, value: unknown): unknown {
  if (PASSING.has(key)) return undefined;
  if (typeof value === 'number' && NUMBERED.has(key)) return undefined;
  if (typeof value === 'number') return value > EPOCH_MS && value < 2 * EPOCH_MS ? 0 : value;
  return typeof value === 'string' ? value.replaceAll(TIMES, '(time)') : value;
}

function plainObject(key: string, value: unknown): unknown {
  if (DRAWN.has(key)) return undefined;
  const told = plain(key, value);
  return typeof told === 'string' ? told.replaceAll(GENERATED, '-*') : told;
}
