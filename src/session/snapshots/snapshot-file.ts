/** A snapshot of etcd as bytes: whether it is whole, and what it is known by. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import {
  SNAPSHOT_HASH_BYTES,
  SNAPSHOT_HEAD_BYTES,
  snapshotProblem,
} from '../../formats/talos/etcd-snapshot.js';
import { OxherdError } from '../../model/error.js';
import type { SnapshotFile } from '../../plan/input.js';

interface InspectedSnapshot {
  readonly size: number;
  /** Of the whole file, as `sha256sum` prints it. */
  readonly sha256: string;
  /** Why it is no snapshot, or not all of one. */
  readonly problem: string | undefined;
}

/** Reads all of it once; `each` is given every piece on the way. */
export async function inspectSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  each: (piece: Uint8Array) => Promise<void> = async () => {},
): Promise<InspectedSnapshot> {
  const whole = createHash('sha256');
  const database = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  // The last 32 bytes are the hash of all others, and which are the last is known only at the end.
  let tail = Buffer.alloc(0);
  for await (const piece of pieces) {
    await each(piece);
    whole.update(piece);
    size += piece.length;
    if (head.length < SNAPSHOT_HEAD_BYTES)
      head = Buffer.concat([head, piece.subarray(0, SNAPSHOT_HEAD_BYTES - head.length)]);
    const seen = Buffer.concat([tail, piece]);
    const end = Math.max(0, seen.length - SNAPSHOT_HASH_BYTES);
    database.update(seen.subarray(0, end));
    tail = Buffer.from(seen.subarray(end));
  }
  const intact = database.digest().equals(tail);
  const problem =
    snapshotProblem(head, size) ?? (intact ? undefined : 'its SHA-256 is not the one at its end');
  return { size, sha256: whole.digest('hex'), problem };
}

/** A file that etcd can begin from; anything else is refused before a machine is touched. */
export async function checkSnapshotFile(path: string, shownAs: string = path): Promise<SnapshotFile> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new OxherdError('etcd.no-snapshot', `${shownAs} cannot be read`, {
      where: shownAs,
      advice: 'name a file that `oxherd etcd backup` or `talosctl etcd snapshot` wrote',
      cause,
    });
  });
  const { sha256, problem } = await inspectSnapshot(createReadStream(path));
  if (problem !== undefined) {
    throw new OxherdError('etcd.bad-snapshot', `${shownAs} is no whole snapshot of etcd: ${problem}`, {
      where: shownAs,
      advice:
        'nothing was changed; take another file, one that `oxherd etcd backup` or `talosctl etcd snapshot` wrote (a copied etcd database has no hash at its end)',
    });
  }
  return { path, sha256 };
}

/** Its bytes, if it is still the file that was looked at. */
export async function readSnapshotFile({ path, sha256 }: SnapshotFile): Promise<AsyncIterable<Uint8Array>> {
  const now = await checkSnapshotFile(path);
  if (now.sha256 === sha256) return createReadStream(path);
  throw new OxherdError('etcd.other-snapshot', `${path} is another file than the one that was looked at`, {
    where: path,
    advice: 'run it again',
  });
}
