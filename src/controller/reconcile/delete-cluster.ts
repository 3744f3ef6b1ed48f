/** An OxherdCluster that is deleted: left as it is, or its VMs destroyed. Data volumes stay either way. */
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { CLUSTERS, FINALIZER } from '../api/group.js';
import type { ClusterSpec, Named } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { stalled, waiting } from '../policy/conditions.js';
import { CONFLICT, claimCluster, releaseClaim } from './claim.js';
import { recordEvent } from './events.js';
import { type ClusterAccess, openCluster, prepareAccess, runsIn } from './open-cluster.js';
import { pursuePlan } from './pursue-plan.js';
import { leaseName } from './run-cluster.js';
import { wordsOf } from './words-of.js';
import { writeStatus } from './write-status.js';

const RETRY_MS = 60_000;
const BUSY_MS = 20_000;

export async function deleteCluster(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<number | undefined> {
  if (!cluster.finalizers.includes(FINALIZER)) return undefined;
  const { deletionPolicy, suspend } = cluster.spec;
  if (deletionPolicy === 'Orphan')
    return release(context, cluster, 'left as it is: deletionPolicy is Orphan');
  if (suspend) {
    const message = 'spec.suspend is true: resume it to destroy the cluster, or set deletionPolicy: Orphan';
    await writeStatus(context, cluster, waiting('Suspended', message));
    return undefined;
  }
  try {
    const access = await prepareAccess(context, cluster);
    await claimCluster(context, cluster, access);
    return await destroy(context, cluster, access);
  } catch (error) {
    if (OxherdError.from(error).code === CONFLICT)
      return release(context, cluster, `left as it is: ${OxherdError.from(error).message}`);
    if (isKubernetesError(error) && error.where === undefined) throw error;
    const message = `cannot be destroyed: ${wordsOf(error)}; set deletionPolicy: Orphan to delete the object alone`;
    await writeStatus(context, cluster, stalled('DestroyFailed', message));
    return RETRY_MS;
  }
}

async function destroy(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  access: ClusterAccess,
): Promise<number | undefined> {
  const session = await openCluster(context, access);
  const self = runsIn(context, session);
  const prepared = await session.plan({ kind: 'destroy' }).finally(() => session.close());
  const { steps, problems } = prepared.plan;
  if (steps.length === 0 && problems.length === 0)
    return release(context, cluster, 'the VMs are destroyed, the data volumes are kept');
  if (self)
    throw new OxherdError('fleet.self', 'the controller runs in this cluster', {
      advice: 'run `oxherd destroy` from outside of it',
    });
  const facts = { cluster, access, prepared, verdicts: {}, facts: {}, self };
  return pursuePlan(context, { ...facts, destroy: true });
}

/** Not while a replica still works on it. */
async function release(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  why: string,
): Promise<number | undefined> {
  const { client, metrics, leases } = context;
  const { name, namespace, finalizers, object } = cluster;
  const lease = await leases.acquire(namespace, leaseName(name));
  if ('by' in lease) return BUSY_MS;
  try {
    await recordEvent(context, object, 'Normal', 'Deleted', why);
    await releaseClaim(context, cluster);
    const metadata = { finalizers: finalizers.filter((one) => one !== FINALIZER) };
    await client.patch(CLUSTERS, name, { metadata }, { kind: 'merge', namespace });
  } finally {
    await lease.held.release();
  }
  metrics.forget({ namespace, name });
  return undefined;
}
