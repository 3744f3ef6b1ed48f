/** Status of an OxherdCluster: conditions and facts in one write. */
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { redactStrings } from '../../formats/redact/redact-text.js';
import { CLUSTERS } from '../api/group.js';
import { type ClusterSpec, type Named, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { type Verdicts, withConditions } from '../policy/conditions.js';
import { changesStatus } from './unchanged.js';

/** `null` removes a field. */
export type StatusFacts = Readonly<Record<string, unknown>>;

const VALUE = { True: 1, False: 0, Unknown: -1 } as const;

export async function writeStatus(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  verdicts: Verdicts,
  facts: StatusFacts = {},
): Promise<void> {
  const { client, time, metrics } = context;
  const { namespace, name, generation } = cluster;
  // Another write may have come in between: conditions that are not given stay as they are now.
  const now = await client.get(CLUSTERS, name, namespace);
  if (!now) return;
  const conditions = withConditions(readStatus(now).conditions, verdicts, { now: time.now(), generation });
  const status = redactStrings({ observedGeneration: generation, conditions, ...facts });
  for (const { type, status: value } of conditions)
    metrics.set('oxherd_cluster_condition', VALUE[value], { namespace, name, type });
  if (!changesStatus(now.status, status, time.now())) return;
  await client
    .patch(CLUSTERS, name, { status }, { kind: 'merge', namespace, subresource: 'status' })
    .catch((error: unknown) => {
      if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
    });
}

export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}
