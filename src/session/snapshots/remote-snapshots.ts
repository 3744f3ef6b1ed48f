/** Snapshots of etcd in an S3 bucket: read back after each upload, and counted as those in a folder are. */
import { createReadStream } from 'node:fs';
import { constants, copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { S3Client } from '../../clients/s3/index.js';
import { snapshotName, snapshotTime } from '../../formats/talos/etcd-snapshot.js';
import { isOfThisCluster, type SnapshotOwner } from '../../formats/talos/snapshot-origin.js';
import { OxherdError } from '../../model/error.js';
import type { SnapshotFile } from '../../plan/input.js';
import { isDue, type KeptSnapshot, type TakenSnapshot } from './etcd-snapshots.js';
import { old } from './keep-newest.js';
import type { S3Url } from './s3-place.js';
import { checkSnapshotFile, inspectSnapshot } from './snapshot-file.js';
import { notePath, originOf, readNote } from './snapshot-origin.js';

interface RemoteFolder {
  readonly client: S3Client;
  readonly bucket: string;
  /** `backups/homelab/`: ends with a slash, and holds snapshots of one cluster. */
  readonly prefix: string;
}

interface UploadedSnapshot {
  readonly url: string;
  readonly size: number;
  readonly sha256: string;
  readonly node: string;
  readonly takenAt: number;
  /** Older ones that were deleted after it. */
  readonly removed: readonly string[];
}

function s3Text({ bucket, key }: S3Url): string {
  return `s3://${bucket}/${key}`;
}

/** Taken to a file of this machine first: only a whole snapshot leaves it. */
export async function uploadSnapshot(
  take: (path: string) => Promise<TakenSnapshot>,
  { client, bucket, prefix }: RemoteFolder,
  { now, keep }: { readonly now: number; readonly keep: number },
): Promise<UploadedSnapshot> {
  const key = `${prefix}${snapshotName(now)}`;
  const url = s3Text({ bucket, key });
  return inPrivateFolder(async (folder) => {
    const { path, size, sha256, node } = await take(join(folder, snapshotName(now)));
    const note = await readNote(path);
    await client.put(key, { size, sha256, open: () => createReadStream(path), ...(note !== '' && { note }) });
    const stored = await inspectSnapshot(await client.get(key));
    if (stored.sha256 !== sha256) {
      await client.delete(key);
      throw new OxherdError('etcd.snapshot', `${url} was read back with other content than was sent`, {
        where: url,
        advice: 'it was deleted, older snapshots were kept; check the store, then try again',
      });
    }
    const names = (await snapshotsIn({ client, bucket, prefix })).map(({ name }) => name);
    const removed = old(names, keep).filter((name) => name !== snapshotName(now));
    for (const name of removed) await client.delete(`${prefix}${name}`);
    return { url, size, sha256, node, takenAt: now, removed };
  });
}

/** The newest one, if it is whole, of this cluster, and no other is due yet. */
export async function dueRemoteSnapshot(
  folder: RemoteFolder,
  everySeconds: number,
  now: number,
  owner: SnapshotOwner,
): Promise<KeptSnapshot | undefined> {
  const past = (await snapshotsIn(folder)).filter(({ takenAt }) => takenAt <= now);
  const last = past.at(-1);
  if (!last || isDue(last.takenAt, everySeconds, now)) return undefined;
  const key = `${folder.prefix}${last.name}`;
  const { client, bucket } = folder;
  return withDownloaded(client, { bucket, key }, async ({ path, url }) => {
    const { problem, sha256 } = await inspectSnapshot(createReadStream(path));
    if (problem !== undefined || !isOfThisCluster(await originOf({ path, sha256 }), owner)) return undefined;
    return { path: url, takenAt: last.takenAt };
  });
}

/** A file of this machine with the object's content, for as long as `work` takes; a key with `/` at its end is the newest below. */
export async function withDownloaded<Result>(
  client: S3Client,
  { bucket, key }: S3Url,
  work: (file: { readonly path: string; readonly url: string }) => Promise<Result>,
): Promise<Result> {
  const chosen = key === '' || key.endsWith('/') ? await newest(client, bucket, key) : key;
  return inPrivateFolder(async (folder) => {
    const path = join(folder, basename(chosen));
    await download(client, chosen, path);
    return work({ path, url: s3Text({ bucket, key: chosen }) });
  });
}

/** Keeps the object as a file of this machine; one that is there under its name must be the same. */
export async function fetchSnapshot(
  client: S3Client,
  { bucket, key }: S3Url,
  folder: string,
): Promise<SnapshotFile> {
  return withDownloaded(client, { bucket, key }, async ({ path, url }) => {
    const { sha256 } = await checkSnapshotFile(path, url);
    const kept = join(folder, basename(path));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyFile(path, kept, constants.COPYFILE_EXCL).catch(async (error: unknown) => {
      const existing = await checkSnapshotFile(kept);
      if (existing.sha256 === sha256) return;
      throw new OxherdError('etcd.other-snapshot', `${kept} is another snapshot than ${url}`, {
        where: kept,
        advice: 'move it away, or restore from it',
        cause: error,
      });
    });
    // What it was noted with at its upload, if that was kept.
    if ((await readNote(path)) !== '') await copyFile(notePath(path), notePath(kept));
    return { path: kept, sha256 };
  });
}

async function download(client: S3Client, key: string, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const { body, note } = await client.getWithNote(key);
    for await (const piece of body) await file.writeFile(piece);
    if (note !== undefined) await writeFile(notePath(path), note, { mode: 0o600 });
  } finally {
    await file.close();
  }
}

async function newest(client: S3Client, bucket: string, prefix: string): Promise<string> {
  const last = (await snapshotsIn({ client, bucket, prefix })).at(-1);
  if (last) return `${prefix}${last.name}`;
  throw new OxherdError('etcd.no-snapshot', `there is no snapshot in ${s3Text({ bucket, key: prefix })}`, {
    advice: 'name the folder of one cluster, as `oxherd etcd backup --to` printed it',
  });
}

/** Directly below the prefix, by time. */
async function snapshotsIn({
  client,
  prefix,
}: RemoteFolder): Promise<{ readonly name: string; readonly takenAt: number }[]> {
  const names = (await client.list(prefix))
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
  return names
    .flatMap((name) => {
      const takenAt = snapshotTime(name);
      return takenAt === undefined ? [] : [{ name, takenAt }];
    })
    .sort((a, b) => a.takenAt - b.takenAt);
}

/** A snapshot holds every secret of the cluster: no one else may read it meanwhile. */
async function inPrivateFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'oxherd-etcd-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
