/** An OxherdCluster that is deleted: left as it is, or its VMs destroyed. Data volumes stay either way. */
import { CLUSTERS, FINALIZER } from '../api/group.js';
import type { ClusterSpec, Named } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { stalled } from '../policy/conditions.js';
import { recordEvent } from './events.js';
import { openCluster, prepareAccess } from './open-cluster.js';
import { pursuePlan } from './pursue-plan.js';
import { wordsOf } from './words-of.js';
import { writeStatus } from './write-status.js';

const RETRY_MS = 60_000;

export async function deleteCluster(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<number | undefined> {
  if (!cluster.finalizers.includes(FINALIZER)) return undefined;
  if (cluster.spec.deletionPolicy === 'Orphan') {
    await recordEvent(
      context,
      cluster.object,
      'Normal',
      'Deleted',
      'left as it is: deletionPolicy is Orphan',
    );
    return release(context, cluster);
  }
  try {
    const access = await prepareAccess(context, cluster);
    const session = await openCluster(context, access);
    const prepared = await session.plan({ kind: 'destroy' }).finally(() => session.close());
    if (prepared.plan.steps.length > 0)
      return await pursuePlan(context, {
        cluster,
        access,
        prepared,
        verdicts: {},
        facts: {},
        self: false,
        destroy: true,
      });
  } catch (error) {
    const message = `cannot be destroyed: ${wordsOf(error)}; set deletionPolicy: Orphan to delete the object alone`;
    await writeStatus(context, cluster, stalled('DestroyFailed', message));
    return RETRY_MS;
  }
  await recordEvent(
    context,
    cluster.object,
    'Normal',
    'Deleted',
    'the VMs are destroyed, the data volumes are kept',
  );
  return release(context, cluster);
}

async function release(
  { client, metrics }: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<undefined> {
  const { name, namespace, finalizers } = cluster;
  const metadata = { finalizers: finalizers.filter((one) => one !== FINALIZER) };
  await client.patch(CLUSTERS, name, { metadata }, { kind: 'merge', namespace });
  metrics.forget({ namespace, name });
  return undefined;
}
