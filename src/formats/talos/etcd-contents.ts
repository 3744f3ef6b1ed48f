/**
 * What a database of etcd holds: bbolt pages (go.etcd.io/bbolt: page.go, bucket.go) and in them etcd's buckets `key` and
 * `members` (server/storage/schema). Read as a restore reads it: every revision in its order, deletions included.
 */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { isMapping } from '../text/mapping.js';

export interface EtcdContents {
  /** Of the last change. */
  readonly revision: number;
  readonly members: readonly { readonly name: string; readonly learner: boolean }[];
  /** Keys that are there after all revisions: path → revision of its last change. */
  readonly keys: ReadonlyMap<string, number>;
  /** Every bucket of the database. */
  readonly buckets: readonly string[];
  /** Changes that were replayed. */
  readonly changes: number;
  /** Of the keys that were asked for, those that are there. */
  readonly values: ReadonlyMap<string, Uint8Array>;
}

const HEADER = 16;
const ELEMENT = 16;
const MAGIC = 0xed0cdaed;
const [BRANCH, LEAF, BUCKET_FLAG] = [0x01, 0x02, 0x01];
/** `revision` of etcd: eight bytes, `_`, eight bytes; a deletion has a `t` behind it. */
const REVISION_BYTES = 17;
/** Deeper trees do not exist below the size that bbolt can address; a loop of broken pages ends here. */
const DEEPEST = 64;

/** Throws a RangeError or an Error where pages point outside of the file: the hash does not say who wrote it. */
export function readEtcdContents(database: Uint8Array, wanted: readonly string[] = []): EtcdContents {
  const file = new Pages(database);
  const buckets = new Map([...file.entries(file.root)].map(({ key, value }) => [text(key), value]));
  const members = [...file.bucket(buckets.get('members'))].map(({ value }) => memberOf(value));
  const keys = new Map<string, number>();
  const values = new Map<string, Uint8Array>();
  let [revision, changes] = [0, 0];
  for (const { key, value } of file.bucket(buckets.get('key'))) {
    if (key.length < REVISION_BYTES) throw new Error('a key of the bucket `key` is no revision');
    const main = number(view(key).getBigUint64(0));
    if (main < revision) throw new Error(`revision ${main} comes after ${revision}`);
    revision = main;
    changes += 1;
    const path = text(fieldOf(value, PATH));
    if (key.length > REVISION_BYTES) keys.delete(path);
    else keys.set(path, main);
    if (!wanted.includes(path)) continue;
    if (key.length > REVISION_BYTES) values.delete(path);
    else values.set(path, fieldOf(value, VALUE));
  }
  if (!buckets.has('key')) throw new Error('it has no bucket `key`: it is not a database of etcd');
  return { revision, members, keys, buckets: [...buckets.keys()], changes, values };
}

/** `/registry/pods/default/web` is one of `pods`; groups of custom kinds keep theirs: `cilium.io/ciliumnodes`. */
export function objectCounts(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const [, root, first = '', second = ''] = key.split('/');
    if (root !== 'registry' || first === '') continue;
    const kind = first.includes('.') || first === 'services' ? `${first}/${second}` : first;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

class Pages {
  readonly #pageSize: number;
  readonly root: number;

  constructor(private readonly bytes: Uint8Array) {
    const first = view(bytes);
    this.#pageSize = first.getUint32(HEADER + 8, true);
    if (first.getUint32(HEADER, true) !== MAGIC || this.#pageSize < 512)
      throw new Error('it does not start as a bbolt database');
    // Two pages say where the root is, written in turn: the later one holds.
    const metas = [0, this.#pageSize].map((at) => ({
      root: number(first.getBigUint64(at + HEADER + 16, true)),
      transaction: first.getBigUint64(at + HEADER + 48, true),
    }));
    const [latest] = metas.sort((a, b) => (a.transaction < b.transaction ? 1 : -1));
    this.root = latest?.root ?? 0;
  }

  /** In the order of their keys. */
  *entries(page: number, depth = 0): Generator<Entry> {
    if (depth > DEEPEST) throw new Error('its pages form a loop');
    const at = page * this.#pageSize;
    if (page < 2 || at >= this.bytes.length) throw new Error(`page ${page} is outside of the file`);
    yield* this.#elements(this.bytes.subarray(at), depth);
  }

  /** What the root says of a bucket is where it begins; a small one stands there itself. */
  *bucket(value: Uint8Array | undefined): Generator<Entry> {
    if (!value) return;
    const page = number(view(value).getBigUint64(0, true));
    if (page === 0) yield* this.#elements(value.subarray(16), 0);
    else yield* this.entries(page);
  }

  *#elements(page: Uint8Array, depth: number): Generator<Entry> {
    const head = view(page);
    const flags = head.getUint16(8, true);
    const count = head.getUint16(10, true);
    for (let index = 0; index < count; index += 1) {
      const at = HEADER + index * ELEMENT;
      if (flags & BRANCH) {
        yield* this.entries(number(head.getBigUint64(at + 8, true)), depth + 1);
        continue;
      }
      if ((flags & LEAF) === 0) throw new Error('a page is neither branch nor leaf');
      const start = at + head.getUint32(at + 4, true);
      const middle = start + head.getUint32(at + 8, true);
      const end = middle + head.getUint32(at + 12, true);
      if (end > page.length) throw new Error('an entry ends outside of the file');
      const isBucket = (head.getUint32(at, true) & BUCKET_FLAG) !== 0;
      if (isBucket && depth > 0) continue;
      yield { key: page.subarray(start, middle), value: page.subarray(middle, end) };
    }
  }
}

/** Fields of mvccpb.KeyValue: `key` and `value`. */
const [PATH, VALUE] = [1, 5];

function fieldOf(pair: Uint8Array, wanted: number): Uint8Array {
  const reader = new BinaryReader(pair);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted) return reader.bytes();
    reader.skip(type, field);
  }
  return new Uint8Array();
}

function memberOf(value: Uint8Array): { name: string; learner: boolean } {
  const member: unknown = JSON.parse(text(value));
  if (!isMapping(member)) throw new Error('a member is no mapping');
  return { name: typeof member.name === 'string' ? member.name : '', learner: member.isLearner === true };
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function number(value: bigint): number {
  return Number(value);
}
