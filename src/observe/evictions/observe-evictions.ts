/** What tells whether pods can leave their nodes: where they could go, and which budgets hold them. */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import {
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../../clients/kubernetes/resources.js';
import type { EvictionFacts } from './observed-evictions.js';

export async function observeEvictions(client: KubernetesClient): Promise<EvictionFacts> {
  const [nodes, pods, budgets, volumes, claims] = await Promise.all([
    client.list(NODES),
    client.list(PODS),
    client.list(POD_DISRUPTION_BUDGETS),
    client.list(PERSISTENT_VOLUMES),
    client.list(PERSISTENT_VOLUME_CLAIMS),
  ]);
  return {
    nodes,
    pods,
    budgets,
    volumes,
    claims: Object.fromEntries(
      claims.flatMap(({ metadata, spec }) =>
        spec?.volumeName ? [[`${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`, spec.volumeName]] : [],
      ),
    ),
  };
}
