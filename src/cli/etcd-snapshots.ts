/** Snapshots of etcd: taken through a healthy control plane, checked, and on disk completely or not at all. */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EtcdStatusInfo, TalosEtcd } from '../clients/talos/etcd.js';
import {
  SNAPSHOT_HASH_BYTES,
  SNAPSHOT_HEAD_BYTES,
  snapshotName,
  snapshotProblem,
  snapshotTime,
} from '../formats/etcd-snapshot.js';
import { OxherdError } from '../model/error.js';

/** What is needed of a control plane's Talos API. */
export interface SnapshotGiver {
  readonly address: string;
  readonly etcd: Pick<TalosEtcd, 'status' | 'snapshot'>;
}

export interface SnapshotSource {
  readonly talos: { admin(ip: string): SnapshotGiver | undefined };
  readonly controlPlanes: readonly { readonly name: string; readonly ip: string }[];
}

export interface TakenSnapshot {
  readonly path: string;
  readonly size: number;
  /** Of the whole file, as `sha256sum` prints it. */
  readonly sha256: string;
  /** The control plane that gave it. */
  readonly node: string;
  readonly takenAt: number;
}

export interface KeptSnapshot {
  readonly path: string;
  readonly takenAt: number;
}

/** Replaces what is at `path` once the new snapshot is complete and its hash is right. */
export async function takeSnapshot(
  source: SnapshotSource,
  path: string,
  now: number,
): Promise<TakenSnapshot> {
  const { name, client } = await healthyControlPlane(source);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    const written = await receive(client.etcd.snapshot(), file).finally(() => file.close());
    const problem = written.problem;
    if (problem !== undefined) {
      throw new OxherdError('etcd.snapshot', `the snapshot from ${name} is not whole: ${problem}`, {
        where: client.address,
        advice: 'nothing was written; look at `oxherd status`, then try again',
      });
    }
    await rename(temporary, path);
    return { path, size: written.size, sha256: written.sha256, node: name, takenAt: now };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The newest one in a folder, by the time in its name. One from the future says that clocks disagree: it is not it. */
export async function lastSnapshot(folder: string, now: number): Promise<KeptSnapshot | undefined> {
  const names = await readdir(folder).catch(() => []);
  const found = names.flatMap((name) => {
    const takenAt = snapshotTime(name);
    return takenAt === undefined || takenAt > now ? [] : [{ path: join(folder, name), takenAt }];
  });
  return found.sort((a, b) => b.takenAt - a.takenAt)[0];
}

/** The last one if it is not older than allowed, else a new one. */
export async function ensureFreshSnapshot(
  source: SnapshotSource,
  options: { readonly folder: string; readonly maxAgeSeconds: number; readonly now: number },
): Promise<KeptSnapshot & { readonly taken: boolean }> {
  const { folder, maxAgeSeconds, now } = options;
  const last = await lastSnapshot(folder, now);
  if (last && now - last.takenAt <= maxAgeSeconds * 1_000) return { ...last, taken: false };
  const { path, takenAt } = await takeSnapshot(source, join(folder, snapshotName(now)), now);
  return { path, takenAt, taken: true };
}

interface Candidate {
  readonly name: string;
  readonly client: SnapshotGiver;
  readonly status: EtcdStatusInfo;
}

/** A follower that is up to date, so that the leader keeps its work; the leader where it is alone. */
async function healthyControlPlane({ talos, controlPlanes }: SnapshotSource): Promise<Candidate> {
  const why: string[] = [];
  const asked = controlPlanes.map(async ({ name, ip }): Promise<Candidate | undefined> => {
    const client = talos.admin(ip);
    if (!client) return undefined;
    try {
      const status = await client.etcd.status();
      if (status.leader !== 0n && !status.learner && status.errors.length === 0)
        return { name, client, status };
      why.push(`${name}: ${status.learner ? 'still a learner' : (status.errors[0] ?? 'no leader')}`);
    } catch (error) {
      why.push(`${name}: ${OxherdError.from(error).message}`);
    }
    return undefined;
  });
  const healthy = (await Promise.all(asked)).filter((candidate) => candidate !== undefined);
  const isLeader = ({ status }: Candidate) => Number(status.leader === status.memberId);
  const [best] = healthy.sort(
    (a, b) => isLeader(a) - isLeader(b) || Number(b.status.raftAppliedIndex - a.status.raftAppliedIndex),
  );
  if (best) return best;
  const details = why.length > 0 ? ` (${why.sort().join('; ')})` : '';
  throw new OxherdError('etcd.no-control-plane', `no control plane has a healthy etcd${details}`, {
    advice: 'look at `oxherd status`; a snapshot needs one member that has a leader',
  });
}

async function receive(pieces: AsyncIterable<Uint8Array>, file: FileHandle) {
  const whole = createHash('sha256');
  const database = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  // The last 32 bytes are the hash of all others, and which are the last is known only at the end.
  let tail = Buffer.alloc(0);
  for await (const piece of pieces) {
    await file.writeFile(piece);
    whole.update(piece);
    size += piece.length;
    if (head.length < SNAPSHOT_HEAD_BYTES)
      head = Buffer.concat([head, piece.subarray(0, SNAPSHOT_HEAD_BYTES - head.length)]);
    const seen = Buffer.concat([tail, piece]);
    const end = Math.max(0, seen.length - SNAPSHOT_HASH_BYTES);
    database.update(seen.subarray(0, end));
    tail = Buffer.from(seen.subarray(end));
  }
  await file.sync();
  const intact = database.digest().equals(tail);
  const problem =
    snapshotProblem(head, size) ?? (intact ? undefined : 'its SHA-256 is not the one at its end');
  return { size, sha256: whole.digest('hex'), problem };
}
