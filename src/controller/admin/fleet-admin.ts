/** What people do to a fleet from the command line: the same as with kubectl, in fewer words. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isKubernetesError, type KubernetesClient, NAMESPACES } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { API_VERSION, APPROVALS, CLUSTERS, type FleetObject, PLANS } from '../api/group.js';
import { type FleetValues, fleetManifests } from '../install/manifests.js';
import { IMAGE_EXAMPLE } from '../install/pinned-image.js';
import { planName } from '../reconcile/plan-objects.js';
import { type FleetRow, rowOf } from './fleet-rows.js';

/** Applies all objects; answers what they are. Definitions are waited for, because the rest needs them. */
export async function installFleet(client: KubernetesClient, values: FleetValues): Promise<string[]> {
  const names: string[] = [];
  for (const object of fleetManifests(values)) {
    await client.apply(object, { force: true });
    names.push(`${object.kind}/${object.metadata.name}`);
  }
  return names;
}

export interface AddOptions {
  readonly namespace: string;
  readonly name: string;
  readonly site: string;
  /** Files of the config, the config itself first. */
  readonly files: readonly string[];
  readonly secrets?: string;
  readonly auto?: string;
}

/** A config map with the files, and the OxherdCluster that names it. */
export async function addCluster(client: KubernetesClient, options: AddOptions): Promise<FleetObject> {
  const { namespace, name, site, files, secrets, auto } = options;
  if (!(await client.get(NAMESPACES, namespace)))
    throw new OxherdError('fleet.namespace', `there is no namespace ${namespace}`, {
      advice: `install the fleet with it first: oxherd fleet install --clusters NAMESPACE --image ${IMAGE_EXAMPLE}`,
    });
  const data = Object.fromEntries(files.map((path) => [basename(path), readFileSync(path, 'utf8')]));
  await client.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-config`, namespace },
    ...{ data },
  });
  if (secrets !== undefined)
    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-secrets`, namespace },
      ...{ type: 'Opaque', data: { [secretsKey(secrets)]: readFileSync(secrets).toString('base64') } },
    });
  const spec = {
    source: { configMap: { name: `${name}-config`, path: basename(files[0] ?? 'oxherd.yaml') } },
    siteRef: { name: site },
    ...(secrets !== undefined && { secretsRef: { name: `${name}-secrets` } }),
    ...(auto !== undefined && { policy: { auto } }),
  };
  return client.apply({ apiVersion: API_VERSION, kind: CLUSTERS.kind, metadata: { name, namespace }, spec });
}

function secretsKey(path: string): string {
  return path.endsWith('.sops.yaml') ? 'secrets.sops.yaml' : 'secrets.yaml';
}

export async function listFleet(
  client: KubernetesClient,
  namespace: string | undefined,
): Promise<FleetRow[]> {
  const options = namespace === undefined ? {} : { namespace };
  const objects = await client.list(CLUSTERS, options);
  return objects
    .map(rowOf)
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
}

export async function findCluster(
  client: KubernetesClient,
  namespace: string,
  name: string,
): Promise<FleetObject> {
  const found = await client.get(CLUSTERS, name, namespace);
  if (found) return found;
  throw new OxherdError('fleet.missing', `there is no OxherdCluster ${name} in namespace ${namespace}`, {
    advice: 'see `oxherd fleet list`; another namespace is named with --namespace',
  });
}

/** The plan that waits, with the steps in words. */
export async function pendingPlan(
  client: KubernetesClient,
  cluster: FleetObject,
): Promise<FleetObject | undefined> {
  const { planId } = rowOf(cluster);
  if (planId === undefined) return undefined;
  return client.get(PLANS, planName(cluster.metadata.name, planId), cluster.metadata.namespace);
}

export interface ApproveOptions {
  readonly namespace: string;
  readonly name: string;
  /** The whole id, or its first 8 characters at least. */
  readonly planId: string;
  readonly expires: number;
  readonly by: string;
}

/** Refused here where the plan is no longer the one that waits; the controller refuses it again. */
export async function approvePlan(client: KubernetesClient, options: ApproveOptions): Promise<FleetObject> {
  const { namespace, name, planId, expires, by } = options;
  const { planId: waits, steps } = rowOf(await findCluster(client, namespace, name));
  // One without steps is kept to say why it is refused.
  if (waits === undefined || steps === 0)
    throw new OxherdError('fleet.no-plan', `${name} has no plan to approve`, {
      advice: `see \`oxherd fleet status ${name} --namespace ${namespace}\``,
    });
  if (planId.length < 8 || !waits.startsWith(planId))
    throw new OxherdError(
      'fleet.stale-plan',
      `the plan of ${name} is ${waits.slice(0, 12)}, not ${planId.slice(0, 12)}`,
      {
        advice: `review it with \`oxherd fleet status ${name} --namespace ${namespace}\`, then approve that one`,
      },
    );
  return client.create(
    APPROVALS,
    {
      apiVersion: API_VERSION,
      kind: APPROVALS.kind,
      metadata: { name: `${name.slice(0, 200)}-${waits.slice(0, 12)}-${expires.toString(36)}`, namespace },
      spec: { clusterRef: { name }, planId: waits, approvedBy: by, expires: new Date(expires).toISOString() },
    },
    namespace,
  );
}

export async function suspendCluster(
  client: KubernetesClient,
  {
    namespace,
    name,
    suspend,
  }: { readonly namespace: string; readonly name: string; readonly suspend: boolean },
): Promise<void> {
  await findCluster(client, namespace, name);
  await client.patch(CLUSTERS, name, { spec: { suspend } }, { kind: 'merge', namespace });
}

const SELF_REVIEW = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
} as const;

/** As the API server knows the caller; `undefined`: it does not say (before Kubernetes 1.28). */
export async function ownUserName(client: KubernetesClient): Promise<string | undefined> {
  try {
    const review: unknown = await client.create(SELF_REVIEW, {
      apiVersion: SELF_REVIEW.apiVersion,
      kind: SELF_REVIEW.kind,
    });
    const { status }: { status?: { userInfo?: { username?: string } } } = {
      ...(typeof review === 'object' ? review : {}),
    };
    return status?.userInfo?.username;
  } catch (error) {
    if (isKubernetesError(error, 'kubernetes.not-found', 'kubernetes.forbidden', 'kubernetes.invalid'))
      return undefined;
    throw error;
  }
}
