import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';
import type { Resource } from '../clients/kubernetes/resources.js';
import type { GateConfig } from '../config/policy-config.js';
import { suggest } from '../config/suggest.js';
import { attempt } from './attempt.js';
import type { GateObjects, ObservedKubernetes } from './observed-kubernetes.js';

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

async function readGate(client: KubernetesClient, gate: GateConfig): Promise<GateObjects> {
  const resource = gateResource(gate);
  try {
    const options = { ...(gate.namespace !== undefined && { namespace: gate.namespace }) };
    const objects = await client.list(resource, {
      ...options,
      ...(gate.object !== undefined && { fieldSelector: `metadata.name=${gate.object}` }),
    });
    return { served: true, objects };
  } catch (error) {
    if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
    const served = await attempt(() => client.resources());
    return { served: false, alike: served.known ? alikeOf(resource, served.value) : [] };
  }
}

/** The same resource in other versions; else the one whose name is nearly the same. */
export function alikeOf(
  wanted: Pick<Resource<unknown>, 'apiVersion' | 'plural'>,
  served: readonly Pick<Resource<unknown>, 'apiVersion' | 'plural'>[],
): string[] {
  const name = nameOf(wanted);
  const same = served.filter((one) => nameOf(one) === name && one.apiVersion !== wanted.apiVersion);
  if (same.length > 0) return same.map(asGate);
  const meant = suggest(name, served.map(nameOf));
  return served.filter((one) => nameOf(one) === meant).map(asGate);
}

/** `volumes.longhorn.io`, `pods` */
function nameOf({ apiVersion, plural }: Pick<Resource<unknown>, 'apiVersion' | 'plural'>): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : undefined;
  return group === undefined ? plural : `${plural}.${group}`;
}

function asGate(resource: Pick<Resource<unknown>, 'apiVersion' | 'plural'>): string {
  const { apiVersion } = resource;
  return apiVersion.includes('/') ? `${nameOf(resource)}/${apiVersion.split('/')[1]}` : resource.plural;
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
