import { relative, resolve } from 'node:path';
import { clientFilesFolder } from '../../../secrets/locate.js';
import { filesOf } from '../../../session/context.js';
import type { SnapshotFile } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { fetchSnapshot } from '../../../session/snapshots/remote-snapshots.js';
import { isS3Url, parseS3Url, withBucket } from '../../../session/snapshots/s3-place.js';
import { checkSnapshotFile } from '../../../session/snapshots/snapshot-file.js';
import { applyPlan } from '../../apply-plan.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { S3_OPTIONS } from '../../s3-options.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'restore',
  summary: 'restore etcd from a snapshot: new disks for all control planes, old disks are kept',
  args: [
    {
      name: '<file>',
      description: 'a snapshot of `etcd backup` or `talosctl etcd snapshot`: a file, or s3://bucket/key',
    },
  ],
  options: [{ flags: '--confirm <cluster>', description: 'the name of the cluster' }, ...S3_OPTIONS],
  json: 'the events of the run, one per line',
  examples: [
    {
      command: 'oxherd etcd restore .oxherd/homelab/etcd-20261115T063545Z.snapshot --confirm homelab',
      does: 'verifies the snapshot, then restores it',
    },
  ],
};

/** All control planes get new EPHEMERAL disks, and etcd begins on them with what the file holds. */
export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const place = args[0] ?? '';
  if (!isS3Url(place)) {
    const snapshot = await checkSnapshotFile(resolve(context.cwd, place));
    return withSession(context, (session) => restore(context, session, options, snapshot));
  }
  const url = parseS3Url(place);
  return withBucket(context, url.bucket, options, (client) =>
    withSession(context, async (session) => {
      // Beside the snapshots of this machine: a run that was cut off goes on without the bucket.
      const folder = clientFilesFolder(filesOf(context), session.config.cluster);
      return restore(context, session, options, await fetchSnapshot(client, url, folder));
    }),
  );
}

async function restore(
  context: CliContext,
  session: Session,
  options: CommandInput['options'],
  snapshot: SnapshotFile,
): Promise<ExitCode> {
  const { name } = session.config.cluster;
  const file = relative(context.cwd, snapshot.path) || snapshot.path;
  const command = `oxherd etcd restore ${file} --confirm ${name}`;
  const controlPlanes = session.config.nodes
    .filter((node) => node.role === 'controlplane')
    .map((node) => node.name);
  return applyPlan(context, session, {
    yes: true,
    goOn: command,
    only: controlPlanes,
    reset: { fresh: controlPlanes, restore: snapshot },
    given: options.confirm,
  });
}
