import type { Pod } from 'kubernetes-types/core/v1.js';
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  STATEFUL_SETS,
} from '../clients/kubernetes/resources.js';
import { attempt } from './attempt.js';
import { timeOf } from './observe-kubernetes-storage.js';
import type { KubeBudget, KubePod, KubeWorkload, ObservedKubernetes } from './observed-kubernetes.js';

/** What runs, and what would hold up a drain. */
export async function observeWorkloads(
  client: KubernetesClient,
): Promise<Pick<ObservedKubernetes, 'workloads' | 'pods' | 'budgets'>> {
  const [workloads, pods, budgets] = await Promise.all([
    attempt(() => readWorkloads(client)),
    attempt(async () => (await client.list(PODS)).map(podOf)),
    attempt(() => readBudgets(client)),
  ]);
  return { workloads, pods, budgets };
}

async function readWorkloads(client: KubernetesClient): Promise<KubeWorkload[]> {
  const [deployments, statefulSets, daemonSets] = await Promise.all([
    client.list(DEPLOYMENTS),
    client.list(STATEFUL_SETS),
    client.list(DAEMON_SETS),
  ]);
  const named = (metadata: { name?: string; namespace?: string } | undefined) => ({
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
  });
  return [
    ...deployments.map(
      ({ metadata, spec, status }): KubeWorkload => ({
        kind: 'Deployment',
        ...named(metadata),
        wanted: spec?.replicas ?? 1,
        available: status?.availableReplicas ?? 0,
      }),
    ),
    ...statefulSets.map(
      ({ metadata, spec, status }): KubeWorkload => ({
        kind: 'StatefulSet',
        ...named(metadata),
        wanted: spec?.replicas ?? 1,
        available: status?.readyReplicas ?? 0,
      }),
    ),
    ...daemonSets.map(
      ({ metadata, status }): KubeWorkload => ({
        kind: 'DaemonSet',
        ...named(metadata),
        wanted: status?.desiredNumberScheduled ?? 0,
        available: status?.numberAvailable ?? 0,
      }),
    ),
  ];
}

export function podOf(pod: Pod): KubePod {
  const { name = '', namespace = '', creationTimestamp } = pod.metadata ?? {};
  const containers = pod.status?.containerStatuses ?? [];
  const waiting = containers.find((container) => container.state?.waiting)?.state?.waiting;
  const unscheduled = pod.status?.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  return {
    namespace,
    name,
    phase: pod.status?.phase ?? 'Unknown',
    ready: pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    node: pod.spec?.nodeName ?? '',
    waiting: waiting?.reason ?? '',
    restarts: containers.reduce((sum, container) => sum + container.restartCount, 0),
    created: timeOf(creationTimestamp),
    message: waiting?.message ?? unscheduled?.message ?? '',
  };
}

async function readBudgets(client: KubernetesClient): Promise<KubeBudget[]> {
  return (await client.list(POD_DISRUPTION_BUDGETS)).map(({ metadata, status }) => ({
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    allowed: status?.disruptionsAllowed ?? 0,
    expected: status?.expectedPods ?? 0,
  }));
}
