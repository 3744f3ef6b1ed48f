/** Load balancer objects of ours, in whatever version of its API the running Cilium has them. */
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';
import type { Resource } from '../clients/kubernetes/resources.js';
import { ANNOUNCING_KINDS, CILIUM_VERSIONS, POOL_KIND } from '../design/kubernetes/load-balancer.js';
import { MANAGED_BY, type ObjectRef } from '../design/kubernetes/managed-object.js';
import { isMapping } from '../formats/text/mapping.js';

const labelSelector = Object.entries(MANAGED_BY)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

/** Without our pool there is nothing else: it is created first and removed last. */
export async function readLoadBalancer(client: KubernetesClient): Promise<ObjectRef[]> {
  const pools = await ownOf(client, POOL_KIND);
  if (pools.length === 0) return [];
  const others = await Promise.all(ANNOUNCING_KINDS.map((kind) => ownOf(client, kind)));
  return [...others.flat(), ...pools];
}

async function ownOf(client: KubernetesClient, kind: string): Promise<ObjectRef[]> {
  const resource = await resourceOf(client, kind);
  if (!resource) return [];
  const objects = await client.list(resource, { labelSelector });
  return objects.filter(isMapping).flatMap(({ metadata }) => {
    const name = isMapping(metadata) ? metadata.name : undefined;
    return typeof name === 'string' ? [{ apiVersion: resource.apiVersion, kind, name }] : [];
  });
}

async function resourceOf(client: KubernetesClient, kind: string): Promise<Resource<unknown> | undefined> {
  for (const apiVersion of CILIUM_VERSIONS) {
    try {
      return await client.resourceOf(apiVersion, kind);
    } catch (error) {
      if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
    }
  }
  return undefined;
}
