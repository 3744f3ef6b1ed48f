/**
 * Pods of nodes that stay off which no other node would take, and budgets that forbid an eviction: found before the first
 * pod is evicted. It asks what a scheduler asks first (selectors, affinity, taints, local volumes), not how full nodes are.
 */
import type { Node, NodeSelectorTerm, PersistentVolume, Pod, Taint } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { matchesLabels } from '../../formats/kubernetes/label-selector.js';
import { matchesTerms } from '../../formats/kubernetes/node-selector.js';
import type { EvictionFacts } from '../../observe/evictions/observed-evictions.js';

interface PodObstacle {
  readonly kind: 'budget' | 'nowhere';
  readonly pod: string;
  readonly node: string;
  readonly why: string;
}

/** `off`: node objects that stay off; `drained`: these and those that are away for a while. */
export function podObstacles(
  facts: EvictionFacts,
  off: ReadonlySet<string>,
  drained: ReadonlySet<string>,
): PodObstacle[] {
  const left = facts.nodes.filter(({ metadata, spec }) => {
    return !drained.has(metadata?.name ?? '') && spec?.unschedulable !== true;
  });
  return facts.pods
    .filter((pod) => drained.has(pod.spec?.nodeName ?? '') && isEvicted(pod))
    .flatMap((pod): PodObstacle[] => {
      const base = { pod: labelOf(pod), node: pod.spec?.nodeName ?? '' };
      const budgets = facts.budgets.filter((budget) => forbids(budget, pod));
      const nowhere = off.has(base.node) ? whyNowhere(pod, left, facts) : undefined;
      return [
        ...budgets.map(
          (budget): PodObstacle => ({
            ...base,
            kind: 'budget',
            why: `the disruption budget ${budget.metadata?.name ?? ''} allows no eviction now`,
          }),
        ),
        ...(nowhere === undefined ? [] : [{ ...base, kind: 'nowhere' as const, why: nowhere }]),
      ];
    });
}

/** Not what a drain leaves on its node. */
function isEvicted({ metadata, status }: Pod): boolean {
  if (metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
  if (metadata?.deletionTimestamp !== undefined) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  return !(metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}

function forbids({ metadata, spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (metadata?.namespace !== pod.metadata?.namespace || (status?.disruptionsAllowed ?? 0) > 0) return false;
  // An unready pod is evicted without asking where the budget says so.
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' && !isReady(pod)) return false;
  return spec?.selector !== undefined && matchesLabels(spec.selector, pod.metadata?.labels ?? {});
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: now }) => type === 'Ready' && now === 'True');
}

type Labels = Readonly<Record<string, string>>;

/** The first thing that excludes every node which is left. */
function whyNowhere(pod: Pod, left: readonly Node[], facts: EvictionFacts): string | undefined {
  const tests: readonly [why: string, fits: (node: Node) => boolean][] = [
    ...localVolumes(pod, facts).map((volume): [string, (node: Node) => boolean] => [
      `its volume ${volume.metadata?.name ?? ''} is on that node alone`,
      (node) => fitsTerms(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms, node),
    ]),
    ['no other node has the labels that it asks for', (node) => fitsSelector(pod, node)],
    ['every other node has a taint that it does not tolerate', (node) => tolerates(pod, node)],
  ];
  let rest = left;
  for (const [why, fits] of tests) {
    rest = rest.filter(fits);
    if (rest.length === 0) return why;
  }
  return undefined;
}

function localVolumes(pod: Pod, { volumes, claims }: EvictionFacts): PersistentVolume[] {
  const names = new Set(
    (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
      claim ? (claims[`${pod.metadata?.namespace ?? ''}/${claim.claimName}`] ?? []) : [],
    ),
  );
  return volumes.filter(
    ({ metadata, spec }) => names.has(metadata?.name ?? '') && spec?.nodeAffinity?.required !== undefined,
  );
}

function fitsSelector({ spec }: Pod, node: Node): boolean {
  const wanted = Object.entries(spec?.nodeSelector ?? {});
  const labels: Labels = node.metadata?.labels ?? {};
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return wanted.every(([key, value]) => labels[key] === value) && fitsTerms(terms, node);
}

function fitsTerms(terms: readonly NodeSelectorTerm[] | undefined, { metadata }: Node): boolean {
  return terms === undefined || matchesTerms(terms, { name: metadata?.name, labels: metadata?.labels ?? {} });
}

function tolerates({ spec }: Pod, node: Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return taints.every((taint) => (spec?.tolerations ?? []).some((one) => covers(one, taint)));
}

function covers(
  toleration: {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
  },
  { key, value = '', effect }: Taint,
): boolean {
  if (toleration.effect !== undefined && toleration.effect !== '' && toleration.effect !== effect)
    return false;
  if (toleration.operator === 'Exists')
    return toleration.key === undefined || toleration.key === '' || toleration.key === key;
  return toleration.key === key && (toleration.value ?? '') === value;
}

function labelOf({ metadata }: Pod): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
