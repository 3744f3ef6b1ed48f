/** Talos's own manifests, as the last part of `talosctl upgrade-k8s` (`PerformManifestsSync` of Talos v1.14.1). */
import { isKubernetesError } from '../../../clients/kubernetes/errors.js';
import type { RunningTalos } from '../../../clients/talos/client.js';
import { RESOURCES } from '../../../clients/talos/resources.js';
import { attempt } from '../../../observe/attempt.js';
import { readManifests, type TalosManifest } from '../../../observe/talos-manifests.js';
import type { StepOf } from '../../../plan/steps.js';
import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor, type StepContext } from '../../support/context.js';
import { awaitRollout } from '../../support/kubernetes/await-rollout.js';
import { adminOf, until } from '../../support/machine-wait.js';
import {
  addToInventory,
  INVENTORY,
  inventoryKey,
  OWNING_INVENTORY,
  readInventory,
  TALOS_FIELD_MANAGER,
} from '../../support/manifest-inventory.js';
import { StepError } from '../../support/read-vm.js';

const RENDER_TIMEOUT_MS = 5 * 60_000;
const ROLLOUT_TIMEOUT_MS = 10 * 60_000;

export const syncManifests: Executor<'sync-manifests'> = async (step, context) => {
  const cluster = needCluster(context);
  const manifests = inOrder(await rendered(step, context));
  const inventory = await whenApiAnswers(context, 'the inventory of Talos', () =>
    readInventory(cluster.client),
  );
  const warnings: string[] = [];
  const applied: TalosManifest[] = [];
  let changed = 0;
  for (const manifest of manifests) {
    const outcome = await whenApiAnswers(context, label(manifest), () =>
      applyOne(cluster, manifest, inventory),
    );
    if (outcome.kind === 'refused') warnings.push(`${label(manifest)} was refused: ${outcome.why}`);
    if (outcome.kind === 'changed') changed += 1;
    if (outcome.kind === 'changed' || outcome.kind === 'same') applied.push(outcome.object);
  }
  await whenApiAnswers(context, 'the inventory of Talos', () =>
    addToInventory(cluster.client, applied.map(inventoryKey)),
  );
  await awaitRollout(context, cluster.client, applied, {
    of: 'Talos manifests',
    advice: 'see `kubectl -n kube-system get pods`; then run apply again',
    timeoutMs: ROLLOUT_TIMEOUT_MS,
  });
  return { ...(changed === 0 ? ALREADY : DONE), warnings };
};

/** From the first control plane that has them: each renders them from the same config. */
async function rendered(
  { controlPlanes, urls = [] }: StepOf<'sync-manifests'>,
  context: StepContext,
): Promise<readonly TalosManifest[]> {
  return until(
    context,
    {
      timeoutMs: RENDER_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.no-manifests', `no control plane shows Talos's manifests: ${last}`, {
          advice: 'see `oxherd status`; then run apply again',
        }),
    },
    async (waiting) => {
      for (const ip of controlPlanes) {
        const missing = await attempt(() => notFetched(adminOf(context, ip), urls));
        if (!missing.known || missing.value.length > 0) {
          waiting(missing.known ? `${ip} has not fetched ${missing.value.join(', ')}` : missing.why);
          continue;
        }
        const manifests = await attempt(() => readManifests(adminOf(context, ip)));
        if (manifests.known && manifests.value.length > 0) return manifests.value;
        waiting(manifests.known ? `${ip} has none` : manifests.why);
      }
      return undefined;
    },
  );
}

/** Talos names a manifest by its priority and its URL. */
async function notFetched(talos: RunningTalos, urls: readonly string[]): Promise<string[]> {
  if (urls.length === 0) return [];
  const ids = (await talos.list(RESOURCES.manifests)).map(({ id }) => id);
  return urls.filter((url) => !ids.some((id) => id.endsWith(`-${url}`)));
}

/** Namespaces, then definitions of kinds, then what others read (ConfigMaps, Secrets), then the rest. */
function inOrder(manifests: readonly TalosManifest[]): TalosManifest[] {
  const first = ['Namespace', 'CustomResourceDefinition', 'ConfigMap', 'Secret'];
  const rank = ({ kind }: TalosManifest) => (first.includes(kind) ? first.indexOf(kind) : first.length);
  return [...manifests].sort((a, b) => rank(a) - rank(b));
}

type Outcome =
  | { readonly kind: 'changed' | 'same'; readonly object: TalosManifest }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'over' };

async function applyOne(
  { client }: ClusterAccess,
  manifest: TalosManifest,
  inventory: ReadonlySet<string>,
): Promise<Outcome> {
  const resource = await client.resourceOf(manifest.apiVersion, manifest.kind);
  const object = owned(manifest, resource.namespaced);
  const there = await client.get(resource, object.metadata.name, object.metadata.namespace);
  // A job that is listed and gone has done its work.
  if (!there && manifest.kind === 'Job' && inventory.has(inventoryKey(object))) return { kind: 'over' };
  try {
    const now = await client.apply(object, { force: true, fieldManager: TALOS_FIELD_MANAGER });
    return { kind: versionOf(there) === versionOf(now) ? 'same' : 'changed', object };
  } catch (error) {
    // A field that cannot change: the others need not suffer for it.
    if (!isKubernetesError(error, 'kubernetes.invalid')) throw error;
    return { kind: 'refused', why: error.message };
  }
}

function owned(manifest: TalosManifest, namespaced: boolean): TalosManifest {
  const { namespace, ...metadata } = manifest.metadata;
  const { annotations } = metadata;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      name: manifest.metadata.name,
      ...(namespaced && { namespace: namespace ?? 'default' }),
      annotations: {
        ...(typeof annotations === 'object' ? annotations : {}),
        [OWNING_INVENTORY]: INVENTORY,
      },
    },
  };
}

function versionOf(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return undefined;
  const { metadata } = object;
  return typeof metadata === 'object' && metadata !== null && 'resourceVersion' in metadata
    ? metadata.resourceVersion
    : undefined;
}

function label({ kind, metadata }: TalosManifest): string {
  return `${kind} ${metadata.name}`;
}
