/** Workloads that were applied, until every pod of them is of the new kind and serves. */
import type { KubernetesClient } from '../../../clients/kubernetes/client.js';
import { DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS } from '../../../clients/kubernetes/resources.js';
import { awaitCluster } from '../cluster-wait.js';
import type { StepContext } from '../context.js';
import { StepError } from '../read-vm.js';

interface Applied {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Rollout {
  /** Completes "the pods of …". */
  readonly of: string;
  readonly advice: string;
  readonly timeoutMs: number;
}

export async function awaitRollout(
  context: StepContext,
  client: KubernetesClient,
  applied: readonly Applied[],
  { of, advice, timeoutMs }: Rollout,
): Promise<void> {
  await awaitCluster(
    context,
    {
      timeoutMs,
      timeout: (last) =>
        new StepError('apply.rollout', `the pods of ${of} are not updated: ${last}`, { advice }),
    },
    async (waiting) => {
      for (const object of applied) {
        const lacking = await notRolledOut(client, object);
        if (lacking === undefined) continue;
        waiting(lacking);
        return undefined;
      }
      return true;
    },
  );
}

interface Count {
  readonly wanted: number;
  readonly updated: number | undefined;
  readonly available: number | undefined;
}

async function notRolledOut(
  client: KubernetesClient,
  { kind, metadata: { name, namespace = 'default' } }: Applied,
): Promise<string | undefined> {
  const of = await countOf(client, kind, name, namespace);
  if (!of) return undefined;
  const ready = of.fresh ? Math.min(of.updated ?? 0, of.available ?? 0) : 0;
  return of.fresh && ready >= of.wanted ? undefined : `${name}: ${ready} of ${of.wanted}`;
}

async function countOf(
  client: KubernetesClient,
  kind: string,
  name: string,
  namespace: string,
): Promise<(Count & { readonly fresh: boolean }) | undefined> {
  if (kind === 'DaemonSet') {
    const { metadata, status } = (await client.get(DAEMON_SETS, name, namespace)) ?? {};
    return {
      fresh: (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0),
      wanted: status?.desiredNumberScheduled ?? 0,
      updated: status?.updatedNumberScheduled,
      available: status?.numberAvailable,
    };
  }
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return undefined;
  const workload =
    kind === 'Deployment'
      ? await client.get(DEPLOYMENTS, name, namespace)
      : await client.get(STATEFUL_SETS, name, namespace);
  const { metadata, spec, status } = workload ?? {};
  return {
    fresh: (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0),
    wanted: spec?.replicas ?? 1,
    updated: status?.updatedReplicas,
    available: status?.availableReplicas,
  };
}
