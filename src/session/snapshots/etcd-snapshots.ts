/** Snapshots of etcd: taken through a healthy control plane, checked, and on disk completely or not at all. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EtcdStatusInfo, TalosEtcd } from '../../clients/talos/etcd.js';
import { snapshotName, snapshotTime } from '../../formats/talos/etcd-snapshot.js';
import { isOfThisCluster, type SnapshotOwner } from '../../formats/talos/snapshot-origin.js';
import { OxherdError } from '../../model/error.js';
import { keepNewest } from './keep-newest.js';
import { inspectSnapshot } from './snapshot-file.js';
import { notePath, originOf, writeOrigin } from './snapshot-origin.js';

/** What is needed of a control plane's Talos API. */
export interface SnapshotGiver {
  readonly address: string;
  readonly etcd: Pick<TalosEtcd, 'status' | 'snapshot'>;
}

interface SnapshotSource {
  readonly talos: { admin(ip: string): SnapshotGiver | undefined };
  readonly controlPlanes: readonly { readonly name: string; readonly ip: string }[];
  /** The cluster that snapshots are taken from, as it is noted beside them and compared. */
  readonly owner?: () => Promise<SnapshotOwner>;
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
    const written = await inspectSnapshot(client.etcd.snapshot(), (piece) => file.writeFile(piece))
      .then(async (inspected) => {
        await file.sync();
        return inspected;
      })
      .finally(() => file.close());
    const problem = written.problem;
    if (problem !== undefined) {
      throw new OxherdError('etcd.snapshot', `the snapshot from ${name} is not whole: ${problem}`, {
        where: client.address,
        advice: 'nothing was written; look at `oxherd status`, then try again',
      });
    }
    const owner = await source.owner?.();
    await rename(temporary, path);
    if (owner) await writeOrigin({ path, sha256: written.sha256 }, owner);
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

/** Runs that are started by the clock are never quite on time: the next one must not find the last one too young. */
const EARLY = 0.1;
const EARLIEST_MS = 5 * 60_000;

export function isDue(takenAt: number, everySeconds: number, now: number): boolean {
  const every = everySeconds * 1_000;
  return now - takenAt >= every - Math.min(every * EARLY, EARLIEST_MS);
}

/** The last one, if it is whole, of this cluster, and no other is due yet. */
export async function dueSnapshot(
  folder: string,
  everySeconds: number,
  now: number,
  owner?: SnapshotOwner,
): Promise<KeptSnapshot | undefined> {
  const last = await lastSnapshot(folder, now);
  if (!last || isDue(last.takenAt, everySeconds, now)) return undefined;
  return (await isWholeAndOf(last.path, owner)) ? last : undefined;
}

/** A folder may still hold snapshots of a destroyed cluster that had the same name. */
async function isWholeAndOf(path: string, owner: SnapshotOwner | undefined): Promise<boolean> {
  const { problem, sha256 } = await inspectSnapshot(createReadStream(path));
  if (problem !== undefined) return false;
  return owner === undefined || isOfThisCluster(await originOf({ path, sha256 }), owner);
}

/** The last one if it is not older than allowed, else a new one. */
export async function ensureFreshSnapshot(
  source: SnapshotSource,
  options: {
    readonly folder: string;
    readonly maxAgeSeconds: number;
    readonly now: number;
    /** How many stay; older ones go once a new one is there. */
    readonly keep: number;
  },
): Promise<KeptSnapshot & { readonly taken: boolean }> {
  const { folder, maxAgeSeconds, now, keep } = options;
  const last = await lastSnapshot(folder, now);
  const young = last && now - last.takenAt <= maxAgeSeconds * 1_000;
  if (young && (!source.owner || (await isWholeAndOf(last.path, await source.owner()))))
    return { ...last, taken: false };
  const { path, takenAt } = await takeSnapshot(source, join(folder, snapshotName(now)), now);
  await keepSnapshots(folder, keep);
  return { path, takenAt, taken: true };
}

/** Only what carries our name and time; a file that someone named is theirs. */
export async function keepSnapshots(folder: string, keep: number): Promise<void> {
  const removed = await keepNewest(folder, (name) => snapshotTime(name) !== undefined, keep);
  await Promise.all(removed.map((name) => rm(notePath(join(folder, name)), { force: true })));
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
