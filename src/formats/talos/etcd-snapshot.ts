/**
 * What a snapshot of etcd looks like: a bbolt database in whole pages, then the SHA-256 of it (`etcdctl snapshot save`
 * and Talos's EtcdSnapshot send the same stream; `etcdutl snapshot restore` looks for these 32 bytes).
 */

export const SNAPSHOT_HASH_BYTES = 32;
/** So many bytes from the start say whether it is a bbolt database. */
export const SNAPSHOT_HEAD_BYTES = 32;

const META_FLAG = 0x04;
const MAGIC = 0xed0cdaed;
const VERSION = 2;

/** What is wrong with the form of a snapshot; its hash is compared by whoever reads all of it. */
export function snapshotProblem(head: Uint8Array, size: number): string | undefined {
  if (size <= SNAPSHOT_HEAD_BYTES + SNAPSHOT_HASH_BYTES) return `it has ${size} bytes only`;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isMeta = (view.getUint16(8, true) & META_FLAG) !== 0;
  if (!isMeta || view.getUint32(16, true) !== MAGIC) return 'it does not start as a bbolt database';
  const version = view.getUint32(20, true);
  if (version !== VERSION) return `its bbolt version is ${version}, not ${VERSION}`;
  const pageSize = view.getUint32(24, true);
  const database = size - SNAPSHOT_HASH_BYTES;
  if (pageSize < 512 || database % pageSize !== 0) {
    return `it is truncated: ${database} bytes are not whole pages of ${pageSize}`;
  }
  return undefined;
}

const NAME = /^etcd-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.snapshot$/;

/** `etcd-20261115T063545Z.snapshot`: sorts by time, and needs no quotes anywhere. */
export function snapshotName(at: number): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `etcd-${time}.snapshot`;
}

export function snapshotTime(name: string): number | undefined {
  const match = NAME.exec(name);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
