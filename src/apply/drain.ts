/** Emptying a node before it goes, by eviction alone, and letting work return to it. */
import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';
import {
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  VOLUME_ATTACHMENTS,
} from '../clients/kubernetes/resources.js';
import { CORDONED_BY_US, DRAINED } from '../formats/marks/node-marks.js';
import type { Clock } from '../model/clock.js';
import { OxherdError } from '../model/error.js';
import { isNodeReady } from '../observe/readiness.js';

interface DrainPolicy {
  readonly timeoutSeconds: number;
  /** Evict pods with emptyDir volumes: their content is lost. */
  readonly deleteLocalData: boolean;
  /** Evict pods that no controller brings back. */
  readonly force: boolean;
}

export interface DrainContext {
  readonly kubernetes: KubernetesClient;
  readonly clock: Clock;
  readonly progress: (message: string) => void;
  readonly signal?: AbortSignal;
}

const POLL_MS = 2_000;
/** A kubelet that misses a lease or two is NotReady for some seconds; one that is gone stays so. */
const LOST_AFTER_MS = 60_000;

class DrainError extends OxherdError {
  override readonly name = 'DrainError';
}

/** `false`: it was cordoned already, by someone else; it will not be uncordoned by us. */
export async function cordon(
  { kubernetes }: DrainContext,
  name: string,
  { stays = false }: { readonly stays?: boolean } = {},
): Promise<boolean> {
  const node = await kubernetes.get(NODES, name);
  if (!node || node.spec?.unschedulable) return node?.metadata?.annotations?.[CORDONED_BY_US] !== undefined;
  await kubernetes.patch(
    NODES,
    name,
    {
      metadata: { annotations: { [CORDONED_BY_US]: stays ? DRAINED : 'true' } },
      spec: { unschedulable: true },
    },
    { kind: 'merge' },
  );
  return true;
}

export async function uncordon({ kubernetes }: DrainContext, name: string): Promise<void> {
  const node = await kubernetes.get(NODES, name);
  if (!isCordonedByUs(node)) return;
  await kubernetes.patch(
    NODES,
    name,
    { metadata: { annotations: { [CORDONED_BY_US]: null } }, spec: { unschedulable: null } },
    { kind: 'merge' },
  );
}

function isCordonedByUs(node: Node | undefined): boolean {
  return node?.metadata?.annotations?.[CORDONED_BY_US] !== undefined;
}

/** A node that must not be drained is left as it was: no pod was evicted, and none will be until a person has decided. */
export async function cordonAndDrain(
  context: DrainContext,
  name: string,
  policy: DrainPolicy,
  /** It is off until its host returns. */
  options: { readonly stays?: boolean } = {},
): Promise<Drained> {
  const cordonedByUs = await cordon(context, name, options);
  try {
    return await drain(context, name, policy);
  } catch (error) {
    if (cordonedByUs && error instanceof DrainError && error.code === 'drain.refused')
      await uncordon(context, name);
    throw error;
  }
}

/** `lost`: its kubelet is gone, and nothing on it ends the pods that were evicted. */
type Drained = 'empty' | 'lost';

/**
 * Until no pod that can be evicted is left on the node, and no volume of such a pod is attached to it. Volumes of pods that
 * stay, such as those of a DaemonSet, stay attached; attachments that no pod of this drain explains are others' to clear.
 */
export async function drain(context: DrainContext, name: string, policy: DrainPolicy): Promise<Drained> {
  const { clock, progress, signal } = context;
  const deadline = clock.elapsed() + policy.timeoutSeconds * 1_000;
  let atFirst: ReadonlySet<string> | undefined;
  const evicted = new Set<string>();
  // A drain that was cut off has evicted pods as well: what is being detached since then is theirs.
  const since = clock.now() - policy.timeoutSeconds * 1_000;
  let silentSince: number | undefined;
  for (;;) {
    const all = await context.kubernetes.list(PODS, { fieldSelector: `spec.nodeName=${name}` });
    const pods = all.filter((pod) => !staysOnNode(pod));
    atFirst ??= new Set(pods.map(uidOf));
    const evictable = pods.filter((pod) => atFirst?.has(uidOf(pod)) || !toleratesCordon(pod));
    refuseUnmovable(name, evictable, policy);
    for (const volume of await volumesOf(context.kubernetes, evictable)) evicted.add(volume);
    const held = await evictAll(context, evictable);
    const staying = all.filter((pod) => !evictable.includes(pod));
    const attached = await attachments(context, name, { evicted, staying, since });
    if (held.length === 0 && attached.length === 0) return 'empty';
    const ready = isNodeReady(await context.kubernetes.get(NODES, name));
    silentSince = ready ? undefined : (silentSince ?? clock.elapsed());
    const patience = Math.min(LOST_AFTER_MS, (policy.timeoutSeconds * 1_000) / 2);
    if (silentSince !== undefined && clock.elapsed() - silentSince >= patience) return 'lost';
    const what = [...held, ...attached.map((volume) => `volume ${volume} is still attached`)];
    progress(
      `draining: ${what.slice(0, 3).join('; ')}${what.length > 3 ? ` and ${what.length - 3} more` : ''}`,
    );
    if (clock.elapsed() >= deadline) {
      throw new DrainError(
        'drain.timeout',
        `${name} could not be drained in ${policy.timeoutSeconds} s: ${what.join('; ')}`,
        {
          advice:
            'the node is left cordoned and runs; solve what blocks, or change policy.drain, then run apply again',
        },
      );
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** Waiting would change nothing: a person has to decide, before the first eviction. */
function refuseUnmovable(name: string, pods: readonly Pod[], policy: DrainPolicy): void {
  const refusals = pods.flatMap((pod) => {
    const why = pod.metadata?.deletionTimestamp === undefined ? refusalOf(pod, policy) : undefined;
    return why === undefined ? [] : [`${labelOf(pod)} ${why}`];
  });
  if (refusals.length === 0) return;
  throw new DrainError('drain.refused', `refusing to drain ${name}: ${refusals.join('; ')}`, {
    advice: 'delete or move these pods yourself, or allow it with policy.drain, then run apply again',
  });
}

/** Answers that another try may change: a budget, an overloaded server, an admission webhook that is down. */
const WORTH_RETRYING = ['kubernetes.disruption-budget', 'kubernetes.busy', 'kubernetes.failed'] as const;

/** What is still there, each with the reason. */
async function evictAll({ kubernetes }: DrainContext, pods: readonly Pod[]): Promise<string[]> {
  const held: string[] = [];
  for (const pod of pods) {
    if (pod.metadata?.deletionTimestamp !== undefined) {
      held.push(`${labelOf(pod)} is terminating`);
      continue;
    }
    try {
      const { name = '', namespace = 'default' } = pod.metadata ?? {};
      if (await kubernetes.evict(name, namespace)) held.push(`${labelOf(pod)} is terminating`);
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
      held.push(`${labelOf(pod)}: ${whyHeld(error)}`);
    }
  }
  return held;
}

/** A webhook that says no may say yes when what it guards has moved, as one of a storage or of virtual machines does. */
function isWorthRetrying(error: unknown): boolean {
  if (isKubernetesError(error, ...WORTH_RETRYING)) return true;
  return isKubernetesError(error) && /admission webhook .* denied the request/.test(error.message);
}

/** With the budget's own name, which stands in the causes. */
function whyHeld(error: unknown): string {
  const causes = isKubernetesError(error) ? (error.status?.causes ?? []) : [];
  const named = causes.filter(({ reason }) => reason === 'DisruptionBudget').map(({ message }) => message);
  return [OxherdError.from(error).message, ...named].join(' ');
}

function labelOf({ metadata }: Pod): string {
  return `${metadata?.namespace ?? 'default'}/${metadata?.name ?? ''}`;
}

/** DaemonSets come back at once, mirror pods are the machine's own, finished pods do nothing. */
function staysOnNode(pod: Pod): boolean {
  const owners = pod.metadata?.ownerReferences ?? [];
  const isMirror = pod.metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const isDone = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return isMirror || isDone || owners.some((owner) => owner.kind === 'DaemonSet' || owner.kind === 'Node');
}

/**
 * One that is scheduled to a cordoned node nevertheless, such as Cilium's operator. Evicted, it may return to the same
 * node for ever; as `kubectl drain` does, only those are waited for that were there at first.
 */
function toleratesCordon(pod: Pod): boolean {
  return (pod.spec?.tolerations ?? []).some(
    ({ key, operator, effect }) =>
      (effect === undefined || effect === 'NoSchedule') &&
      (key === 'node.kubernetes.io/unschedulable' || (key === undefined && operator === 'Exists')),
  );
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

function refusalOf(pod: Pod, policy: DrainPolicy): string | undefined {
  const hasController = (pod.metadata?.ownerReferences ?? []).some((owner) => owner.controller);
  if (!hasController && !policy.force) return 'has no controller that would recreate it (policy.drain.force)';
  const local = (pod.spec?.volumes ?? []).some((volume) => volume.emptyDir !== undefined);
  if (local && !policy.deleteLocalData) return 'has local data (policy.drain.deleteLocalData)';
  return undefined;
}

/** A disk that is detached while the node is off stays attached for the driver, so it is waited for. */
async function attachments(
  { kubernetes }: DrainContext,
  node: string,
  {
    evicted,
    staying,
    since,
  }: {
    readonly evicted: ReadonlySet<string>;
    readonly staying: readonly Pod[];
    readonly since: number;
  },
): Promise<string[]> {
  const isLeaving = (time: string | undefined) => time !== undefined && Date.parse(time) >= since;
  const here = (await kubernetes.list(VOLUME_ATTACHMENTS))
    .filter(({ spec }) => spec.nodeName === node)
    .map(({ spec, metadata }) => ({
      volume: spec.source.persistentVolumeName ?? '',
      leaving: isLeaving(metadata?.deletionTimestamp),
    }))
    .filter(({ volume, leaving }) => evicted.has(volume) || leaving);
  if (here.length === 0) return [];
  const kept = await volumesOf(kubernetes, staying);
  return here.map(({ volume }) => volume).filter((volume) => !kept.has(volume));
}

/** PersistentVolumes that these pods mount. */
async function volumesOf(kubernetes: KubernetesClient, pods: readonly Pod[]): Promise<ReadonlySet<string>> {
  const claims = pods.flatMap((pod) =>
    (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
      const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata?.name}-${name}`);
      return claim === undefined ? [] : [`${pod.metadata?.namespace}/${claim}`];
    }),
  );
  if (claims.length === 0) return new Set();
  const bound = await kubernetes.list(PERSISTENT_VOLUME_CLAIMS);
  return new Set(
    bound
      .filter(({ metadata }) => claims.includes(`${metadata?.namespace}/${metadata?.name}`))
      .flatMap(({ spec }) => spec?.volumeName ?? []),
  );
}
