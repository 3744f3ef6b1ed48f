/** Whether Cilium can hand out the addresses of the pool, as the pool itself tells. */
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { POOL_KIND } from '../design/kubernetes/load-balancer.js';
import { refText } from '../design/kubernetes/managed-object.js';
import { isMapping } from '../formats/text/mapping.js';
import { findObject, type ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition } = conditionsOf('kubernetes');

export function loadBalancerConditions(
  { objects }: KubernetesDesign,
  observed: ObservedKubernetes,
): Condition[] {
  const pool = objects.find(
    ({ ref, origin }) => ref.kind === POOL_KIND && origin === 'kubernetes.loadBalancer',
  );
  const seen = pool && findObject(observed, pool.ref);
  // The condition `objects-current` names a pool that is missing or unread.
  if (!pool || seen?.state !== 'present' || !seen.value.live) return [];
  const { status } = seen.value.live;
  const conflict = conditionIn(status, 'cilium.io/PoolConflict');
  const isConflict = conflict?.status === 'True';
  const free = Number(conditionIn(status, 'cilium.io/IPsAvailable')?.message ?? Number.NaN);
  const advice = `kubectl describe ${POOL_KIND.toLowerCase()} ${pool.ref.name}`;
  if (isConflict) {
    const why = typeof conflict.message === 'string' ? conflict.message : 'no reason given';
    return [
      condition(
        'load-balancer',
        undefined,
        false,
        `${refText(pool.ref)} conflicts with another pool: ${why}`,
        advice,
      ),
    ];
  }
  if (Number.isNaN(free)) return [];
  return [
    condition(
      'load-balancer',
      undefined,
      free > 0,
      free > 0 ? `${free} load balancer addresses free` : 'the load balancer pool has no free address',
      'add addresses to `kubernetes.loadBalancer.pool`, or delete Services of type LoadBalancer',
    ),
  ];
}

function conditionIn(status: unknown, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions: unknown[] =
    isMapping(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.filter(isMapping).find((each) => each.type === type);
}
