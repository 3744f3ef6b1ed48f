import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';
import type { Resource } from '../clients/kubernetes/resources.js';
import type { GateConfig } from '../config/policy-config.js';
import { attempt } from './attempt.js';
import type { ObservedKubernetes } from './observed-kubernetes.js';

/** The objects that the user's gates look at. */
export async function observeGates(
  client: KubernetesClient,
  gates: readonly GateConfig[],
): Promise<ObservedKubernetes['gates']> {
  const answers = await Promise.all(
    gates.map(async (gate) => [gate.name, await attempt(() => readGate(client, gate))] as const),
  );
  return Object.fromEntries(answers);
}

type Objects = readonly Readonly<Record<string, unknown>>[];

async function readGate(client: KubernetesClient, gate: GateConfig): Promise<Objects | undefined> {
  const resource = gateResource(gate);
  try {
    const options = { ...(gate.namespace !== undefined && { namespace: gate.namespace }) };
    const objects = await client.list(resource, {
      ...options,
      ...(gate.object !== undefined && { fieldSelector: `metadata.name=${gate.object}` }),
    });
    return objects;
  } catch (error) {
    // No one has installed what the gate is about.
    if (isKubernetesError(error, 'kubernetes.not-found')) return undefined;
    throw error;
  }
}

/** `volumes.longhorn.io/v1beta2`, `pods`, `deployments.apps/v1`. */
function gateResource({
  resource,
  namespace,
}: Pick<GateConfig, 'resource' | 'namespace'>): Resource<Readonly<Record<string, unknown>>> {
  const [path = '', version = 'v1'] = resource.split('/');
  const dot = path.indexOf('.');
  const plural = dot < 0 ? path : path.slice(0, dot);
  const group = dot < 0 ? '' : path.slice(dot + 1);
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: plural,
    plural,
    namespaced: namespace !== undefined,
  };
}
