import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { snapshotName } from '../../../formats/talos/etcd-snapshot.js';
import { formatDuration, parseDuration } from '../../../model/duration.js';
import { OxherdError } from '../../../model/error.js';
import { clientFilesFolder } from '../../../secrets/locate.js';
import { filesOf } from '../../../session/context.js';
import { requireSecrets } from '../../../session/secrets/secrets-files.js';
import { dueSnapshot, type KeptSnapshot, keepSnapshots } from '../../../session/snapshots/etcd-snapshots.js';
import { dueRemoteSnapshot, uploadSnapshot } from '../../../session/snapshots/remote-snapshots.js';
import { parseS3Url, type S3Url, withBucket } from '../../../session/snapshots/s3-place.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { S3_OPTIONS } from '../../s3-options.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'backup',
  summary: 'take a snapshot through a healthy control plane, and check it',
  options: [
    {
      flags: '--out <path>',
      description: 'a file, or a folder for <cluster>/etcd-<time>.snapshot; default: .oxherd/',
    },
    {
      flags: '--every <duration>',
      description: 'only if the newest one is older, such as 6h: for cron and timers',
    },
    {
      flags: '--to <url>',
      description: 's3://bucket/prefix instead of a file: <prefix>/<cluster>/etcd-<time>.snapshot, read back',
    },
    ...S3_OPTIONS,
  ],
  json: '`{ path, takenAt, … }`; `taken: false` where the last one is young enough',
  examples: [
    { command: 'oxherd etcd backup', does: 'writes it with mode 0600, prints size and hash' },
    {
      command: 'oxherd etcd backup --every 6h --out /backup',
      does: 'for cron: takes one when it is due, keeps as many as `policy.keep.snapshots` says',
    },
    {
      command: 'oxherd etcd backup --every 6h --to s3://backup/etcd --endpoint https://minio.lan:9000',
      does: 'the same in a bucket, with the keys of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    },
    {
      command: 'oxherd etcd backup --out /backup/etcd.snapshot --json',
      does: 'for a schedule: replaced only by a snapshot that is whole; exit 1 otherwise',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const every = everySeconds(options.every);
  if (typeof options.to === 'string') {
    if (options.out !== undefined)
      throw new OxherdError('etcd.out', '--out and --to are two places for one snapshot', {
        advice: 'run it twice, once with each',
      });
    return toBucket(context, parseS3Url(options.to), options, every);
  }
  return withSession(context, async (session) => {
    if (!session.hasSecrets) await requireSecrets(context, session.config.cluster);
    const now = session.clock.now();
    const folder = clientFilesFolder(filesOf(context), session.config.cluster);
    const path = await placeOf(context.cwd, options.out, { folder, now, every });
    // A file of the user's own name is the only one there: what is kept is counted in folders alone.
    const isDated = path.endsWith(snapshotName(now));
    if (every !== undefined) {
      const last = await dueSnapshot(dirname(path), every, now, await session.snapshotOwner());
      if (last) return notDue(context, last, now);
    }
    const taken = await session.snapshot(path);
    if (isDated) await keepSnapshots(dirname(path), session.config.policy.keep.snapshots);
    const { size, sha256, node } = taken;
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify({ ...taken, takenAt: new Date(now).toISOString() })}\n`
        : `wrote ${path}\n  from    ${node}\n  size    ${size} bytes\n  sha256  ${sha256}\n`,
    );
    return EXIT.done;
  });
}

/** `<prefix>/<cluster>/etcd-<time>.snapshot`, as in a folder that serves several clusters. */
function toBucket(
  context: CliContext,
  { bucket, key }: S3Url,
  flags: CommandInput['options'],
  every: number | undefined,
): Promise<ExitCode> {
  return withBucket(context, bucket, flags, (client) =>
    withSession(context, async (session) => {
      if (!session.hasSecrets) await requireSecrets(context, session.config.cluster);
      const now = session.clock.now();
      const cluster = basename(clientFilesFolder(filesOf(context), session.config.cluster));
      const prefix = `${key === '' || key.endsWith('/') ? key : `${key}/`}${cluster}/`;
      const folder = { client, bucket, prefix };
      const last =
        every === undefined
          ? undefined
          : await dueRemoteSnapshot(folder, every, now, await session.snapshotOwner());
      if (last) return notDue(context, last, now);
      const keep = session.config.policy.keep.snapshots;
      const { url, size, sha256, node, removed } = await uploadSnapshot(session.snapshot, folder, {
        now,
        keep,
      });
      const took = { path: url, size, sha256, node, takenAt: new Date(now).toISOString(), removed };
      context.stdout.write(
        context.globals.json
          ? `${JSON.stringify(took)}\n`
          : `wrote ${url} and read it back\n  from    ${node}\n  size    ${size} bytes\n  sha256  ${sha256}\n`,
      );
      return EXIT.done;
    }),
  );
}

function notDue(context: CliContext, last: KeptSnapshot, now: number): ExitCode {
  const age = formatDuration(Math.max(0, Math.round((now - last.takenAt) / 1_000)));
  context.stdout.write(
    context.globals.json
      ? `${JSON.stringify({ path: last.path, takenAt: new Date(last.takenAt).toISOString(), taken: false })}\n`
      : `nothing to do: ${last.path} is ${age} old\n`,
  );
  return EXIT.done;
}

/** With `--every`, and where a folder is named, each snapshot has its time in its name. */
async function placeOf(
  cwd: string,
  out: unknown,
  { folder, now, every }: { folder: string; now: number; every: number | undefined },
): Promise<string> {
  if (typeof out !== 'string') return join(folder, snapshotName(now));
  const path = resolve(cwd, out);
  const there = await stat(path).catch(() => undefined);
  if (every !== undefined && there && !there.isDirectory()) {
    throw new OxherdError('etcd.out', `${path} is a file, and --every needs a folder`, {
      where: path,
      advice: 'name a folder: each snapshot gets its time as its name',
    });
  }
  const isFolder = every !== undefined || out.endsWith('/') || there?.isDirectory() === true;
  // A folder may serve several clusters: none counts or removes what is another's.
  return isFolder ? join(path, basename(folder), snapshotName(now)) : path;
}

function everySeconds(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new OxherdError('cli.duration', `--every ${text} is no duration`, {
    advice: 'write for instance --every 6h',
  });
}
