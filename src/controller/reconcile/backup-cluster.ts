/** Scheduled snapshots of etcd, to a bucket: one replica takes each, the status says which was the last. */
import { OxherdError } from '../../model/error.js';
import { uploadSnapshot } from '../../session/snapshots/remote-snapshots.js';
import { parseS3Url, withBucket } from '../../session/snapshots/s3-place.js';
import { CLUSTERS } from '../api/group.js';
import { type BackupSpec, type ClusterSpec, type Named, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { fails, holds } from '../policy/conditions.js';
import { lastStart, nextWindow, type Window } from '../policy/windows.js';
import { recordEvent } from './events.js';
import { type ClusterAccess, openCluster } from './open-cluster.js';
import { secretData } from './source.js';
import { timestamp, writeStatus } from './write-status.js';

/** After one that failed. */
const RETRY_MS = 10 * 60_000;

/** Milliseconds until the next one is due; `undefined`: none is wanted. */
export async function backUpCluster(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  access: ClusterAccess,
): Promise<number | undefined> {
  const { backup } = cluster.spec;
  const now = context.time.now();
  if (!backup || !(await isBuilt(context, cluster))) return undefined;
  const { lastTime, failedAt } = readStatus(cluster.object).backup;
  const schedule = windowsOf(backup);
  const due = lastStart(schedule, now);
  const isDue = lastTime === undefined || (due !== undefined && lastTime < due);
  const retry = failedAt === undefined ? 0 : failedAt + RETRY_MS - now;
  const next = (nextWindow(schedule, now)?.from ?? now + RETRY_MS) - now;
  if (!isDue) return next;
  if (retry > 0) return retry;
  // Another replica may just have taken over, and be at it.
  const lease = await context.leases.acquire(cluster.namespace, `oxherd-backup-${cluster.name}`);
  if ('by' in lease) return RETRY_MS;
  try {
    return (await take(context, cluster, access, backup)) ? next : RETRY_MS;
  } finally {
    await lease.held.release();
  }
}

/** What was written a moment ago says whether there is anything to take a snapshot of. */
async function isBuilt({ client }: ControllerContext, { name, namespace }: Named<ClusterSpec>) {
  const object = await client.get(CLUSTERS, name, namespace);
  const conditions = object ? readStatus(object).conditions : [];
  const reasonOf = (type: string) => conditions.find((condition) => condition.type === type)?.reason;
  return reasonOf('Observed') === 'Succeeded' && reasonOf('Healthy') !== 'NotBuilt';
}

async function take(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  access: ClusterAccess,
  { to, endpoint, region, credentialsRef, keep }: BackupSpec,
): Promise<boolean> {
  const { metrics, time } = context;
  const { namespace, name, object } = cluster;
  const at = time.now();
  try {
    const { bucket, key } = parseS3Url(to);
    const env = await secretData(context, namespace, credentialsRef.name);
    const session = await openCluster(context, access);
    const taken = await withBucket({ env, cwd: access.folder }, bucket, { endpoint, region }, (client) =>
      uploadSnapshot(
        session.snapshot,
        {
          client,
          bucket,
          prefix: `${key === '' || key.endsWith('/') ? key : `${key}/`}${namespace}/${name}/`,
        },
        { now: at, keep },
      ),
    ).finally(() => session.close());
    const { url, size, sha256, node } = taken;
    metrics.add('oxherd_backups_total', { outcome: 'done' });
    metrics.set('oxherd_cluster_last_backup_timestamp_seconds', Math.floor(at / 1_000), { namespace, name });
    await recordEvent(
      context,
      object,
      'Normal',
      'BackupDone',
      `etcd snapshot ${url} (${size} bytes, from ${node})`,
    );
    await writeStatus(
      context,
      cluster,
      { BackedUp: holds('Succeeded', url) },
      { backup: { lastTime: timestamp(at), url, size, sha256, node, failedAt: null } },
    );
    return true;
  } catch (error) {
    const { message } = OxherdError.from(error);
    metrics.add('oxherd_backups_total', { outcome: 'failed' });
    await recordEvent(context, object, 'Warning', 'BackupFailed', `no etcd snapshot was taken: ${message}`);
    await writeStatus(
      context,
      cluster,
      { BackedUp: fails('Failed', message) },
      { backup: { failedAt: timestamp(at) } },
    );
    return false;
  }
}

/** Each time of day is the start of a window that is never used as one. */
function windowsOf({ at, days, timeZone }: BackupSpec): Window[] {
  return at.map((start) => ({ days, start, end: start, timeZone }));
}
