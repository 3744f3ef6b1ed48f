import { at, listOf, sameJson } from '../../json.js';
import type { KubeObject } from '../../object.js';

/**
 * The admission plugin NodeRestriction, for what a kubelet may change of its own node
 * (plugin/pkg/admission/noderestriction of Kubernetes). Talos sets labels, annotations and taints of a worker with the
 * kubelet's credentials in one update, so one thing that is not allowed refuses all of it.
 */

/** Labels of Kubernetes' own namespaces that a kubelet may set (kubeletapis.IsKubeletLabel). */
const KUBELET_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
]);
const KUBELET_NAMESPACES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_NAMESPACE = 'node-restriction.kubernetes.io';

/** Why a kubelet may not make this update of its node; `undefined`: it may. */
export function whyNodeRefused(before: KubeObject, after: KubeObject): string | undefined {
  const { name } = before.metadata;
  const refused = (what: string) =>
    `nodes "${name}" is forbidden: node "${name}" is not allowed to modify ${what}`;
  if (!sameJson(listOf(at(before, 'spec', 'taints')), listOf(at(after, 'spec', 'taints')))) {
    return refused('taints');
  }
  const forbidden = forbiddenLabels(changedKeys(before.metadata.labels ?? {}, after.metadata.labels ?? {}));
  return forbidden.length > 0 ? refused(`labels: ${forbidden.join(', ')}`) : undefined;
}

/** Those of the labels that no kubelet may set or take away, in order. */
export function forbiddenLabels(keys: readonly string[]): string[] {
  return keys.filter(isForbidden).sort();
}

function isForbidden(label: string): boolean {
  const namespace = label.includes('/') ? (label.split('/')[0] ?? '') : '';
  if (within(namespace, RESTRICTED_NAMESPACE)) return true;
  if (!within(namespace, 'kubernetes.io') && !within(namespace, 'k8s.io')) return false;
  return !KUBELET_LABELS.has(label) && !KUBELET_NAMESPACES.some((allowed) => within(namespace, allowed));
}

function within(namespace: string, parent: string): boolean {
  return namespace === parent || namespace.endsWith(`.${parent}`);
}

function changedKeys(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key]);
}
