import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type EtcdContents, objectCounts, readEtcdContents } from '../../../formats/talos/etcd-contents.js';
import { SNAPSHOT_HASH_BYTES } from '../../../formats/talos/etcd-snapshot.js';
import { OxherdError } from '../../../model/error.js';
import { drillOnLab } from '../../../session/snapshots/etcd-drill.js';
import { withDownloaded } from '../../../session/snapshots/remote-snapshots.js';
import { isS3Url, parseS3Url, withBucket } from '../../../session/snapshots/s3-place.js';
import { checkSnapshotFile } from '../../../session/snapshots/snapshot-file.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { S3_OPTIONS } from '../../s3-options.js';
import { table } from '../../views/table.js';

export const command: CommandSpec = {
  name: 'verify',
  summary: 'a restore drill: check the hash, replay the database, start a simulated cluster from it',
  args: [
    {
      name: '<file>',
      description: 'a snapshot of `etcd backup` or `talosctl etcd snapshot`: a file, or s3://bucket/key',
    },
  ],
  options: [...S3_OPTIONS],
  json: 'one document: hash, revision, keys and the simulated start',
  examples: [
    {
      command: 'oxherd etcd verify s3://backup/etcd/homelab/',
      does: 'the newest one in that folder of a bucket',
    },
    {
      command: 'oxherd etcd verify .oxherd/homelab/etcd-20261115T063545Z.snapshot',
      does: 'shows members and objects; touches no cluster and needs no config',
    },
  ],
};

/** A drill: hash, then every revision replayed as a restore does, then a simulated cluster that begins with it. */
export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const place = args[0] ?? '';
  if (!isS3Url(place)) {
    const path = resolve(context.cwd, place);
    return drill(context, path, path);
  }
  const url = parseS3Url(place);
  return withBucket(context, url.bucket, options, (client) =>
    withDownloaded(client, url, (file) => drill(context, file.path, file.url)),
  );
}

/** `path` is what messages call it. */
async function drill(context: CliContext, file: string, path: string): Promise<ExitCode> {
  const { sha256 } = await checkSnapshotFile(file, path);
  const bytes = await readFile(file);
  const contents = contentsOf(path, bytes);
  const lab = await drillOnLab(bytes, contents);
  const objects = Object.fromEntries(objectCounts(contents.keys.keys()));
  const { revision, members, changes } = contents;
  const result = { path, sha256, revision, changes, keys: contents.keys.size, members, objects, lab };
  if (context.globals.json) context.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else {
    const names = members.map(({ name, learner }) => `${name}${learner ? ' (learner)' : ''}`).join(', ');
    context.stdout.write(
      `${path} can be restored\n  sha256    ${sha256}\n  revision  ${revision} (${changes} changes replayed)\n` +
        `  members   ${members.length} (${names})\n  keys      ${contents.keys.size}\n  lab       ${lab.message}\n\n` +
        `${table(
          ['OBJECTS', 'COUNT'],
          Object.entries(objects).map(([kind, count]) => [kind, String(count)]),
        )}\n`,
    );
  }
  return EXIT.done;
}

function contentsOf(path: string, bytes: Buffer): EtcdContents {
  try {
    const contents = readEtcdContents(bytes.subarray(0, -SNAPSHOT_HASH_BYTES));
    if (contents.keys.size === 0) throw new Error('it holds no key');
    return contents;
  } catch (error) {
    throw new OxherdError(
      'etcd.bad-snapshot',
      `${path} has the right hash, but it cannot be restored: ${OxherdError.from(error).message}`,
      { where: path, advice: 'take another one: oxherd etcd backup', cause: error },
    );
  }
}
