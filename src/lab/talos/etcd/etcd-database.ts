/**
 * A small bbolt database, byte for byte as go.etcd.io/bbolt lays it out (page.go, meta.go, bucket.go): two meta pages,
 * an empty free list, a leaf per bucket, and the leaf that names the buckets.
 */

const PAGE = 4096;
const PAGE_HEADER = 16;
const ELEMENT = 16;
const BUCKET_HEADER = 16;
const META_BYTES = 64;
const FLAG = { leaf: 0x02, meta: 0x04, freelist: 0x10 } as const;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
const BUCKET = 1;
const FREELIST_PAGE = 2n;
const FIRST_PAGE = 3n;

type Entries = readonly (readonly [key: string | Buffer, value: Buffer])[];

/** Keys of a bucket are sorted here. */
export function bboltDatabase(buckets: Readonly<Record<string, Entries>>): Buffer {
  const pages: Buffer[] = [];
  let next = FIRST_PAGE;
  const place = (items: readonly LeafItem[]): bigint => {
    const id = next;
    const content = leaf(id, sorted(items));
    const count = Math.ceil(content.length / PAGE);
    content.writeUInt32LE(count - 1, 12);
    const whole = Buffer.alloc(count * PAGE);
    content.copy(whole);
    pages.push(whole);
    next += BigInt(count);
    return id;
  };
  const named = Object.entries(buckets).map(([name, entries]): LeafItem => {
    const items = entries.map(([key, value]) => ({ flags: 0, key: Buffer.from(key), value }));
    return { flags: BUCKET, key: Buffer.from(name), value: bucketValue(items, place) };
  });
  const root = place(named);
  return Buffer.concat([metaPage(0n, root, next), metaPage(1n, root, next), freelistPage(), ...pages]);
}

/** Where a bucket's leaf is; an empty one is held in its header. */
function bucketValue(items: readonly LeafItem[], place: (items: readonly LeafItem[]) => bigint): Buffer {
  const header = Buffer.alloc(BUCKET_HEADER);
  if (items.length === 0) return Buffer.concat([header, leaf(0n, [])]);
  header.writeBigUInt64LE(place(items), 0);
  return header;
}

interface LeafItem {
  readonly flags: number;
  readonly key: Buffer;
  readonly value: Buffer;
}

function sorted(items: readonly LeafItem[]): LeafItem[] {
  return [...items].sort((a, b) => Buffer.compare(a.key, b.key));
}

function pageHeader(id: bigint, flags: number, count: number): Buffer {
  const header = Buffer.alloc(PAGE_HEADER);
  header.writeBigUInt64LE(id, 0);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(count, 10);
  return header;
}

/** Elements first, each with the distance from itself to its key; then keys and values. */
function leaf(id: bigint, items: readonly LeafItem[]): Buffer {
  let offset = items.length * ELEMENT;
  const elements: Buffer[] = [];
  const data: Buffer[] = [];
  for (const [index, { flags, key, value }] of items.entries()) {
    const element = Buffer.alloc(ELEMENT);
    element.writeUInt32LE(flags, 0);
    element.writeUInt32LE(offset - index * ELEMENT, 4);
    element.writeUInt32LE(key.length, 8);
    element.writeUInt32LE(value.length, 12);
    elements.push(element);
    data.push(key, value);
    offset += key.length + value.length;
  }
  return Buffer.concat([pageHeader(id, FLAG.leaf, items.length), ...elements, ...data]);
}

function freelistPage(): Buffer {
  return Buffer.concat([pageHeader(FREELIST_PAGE, FLAG.freelist, 0), Buffer.alloc(PAGE - PAGE_HEADER)]);
}

function metaPage(id: bigint, root: bigint, end: bigint): Buffer {
  const meta = Buffer.alloc(PAGE - PAGE_HEADER);
  meta.writeUInt32LE(MAGIC, 0);
  meta.writeUInt32LE(VERSION, 4);
  meta.writeUInt32LE(PAGE, 8);
  meta.writeBigUInt64LE(root, 16);
  meta.writeBigUInt64LE(FREELIST_PAGE, 32);
  meta.writeBigUInt64LE(end, 40);
  meta.writeBigUInt64LE(id, 48);
  meta.writeBigUInt64LE(fnv64a(meta.subarray(0, META_BYTES - 8)), META_BYTES - 8);
  return Buffer.concat([pageHeader(id, FLAG.meta, 0), meta]);
}

function fnv64a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

/** The keys of one bucket of a database that `bboltDatabase` laid out; `undefined`: there is no such bucket. */
export function readBboltDatabase(database: Buffer, bucket: string): Map<string, Buffer> | undefined {
  const root = Number(database.readBigUInt64LE(PAGE_HEADER + 16)) * PAGE;
  const found = readLeaf(database.subarray(root)).get(bucket);
  if (!found) return undefined;
  const page = Number(found.readBigUInt64LE(0));
  return readLeaf(page === 0 ? found.subarray(BUCKET_HEADER) : database.subarray(page * PAGE));
}

function readLeaf(page: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  if ((page.readUInt16LE(8) & FLAG.leaf) === 0) return entries;
  const count = page.readUInt16LE(10);
  for (let index = 0; index < count; index += 1) {
    const element = PAGE_HEADER + index * ELEMENT;
    const start = element + page.readUInt32LE(element + 4);
    const middle = start + page.readUInt32LE(element + 8);
    const end = middle + page.readUInt32LE(element + 12);
    entries.set(page.toString('utf8', start, middle), page.subarray(middle, end));
  }
  return entries;
}
