/** Marks of ours on node objects, and those that a kubelet may not set itself. */
import { ownKey } from '../../model/publisher.js';

/** On nodes that we cordoned: only those are let go again, also by a later run. */
export const CORDONED_BY_US = ownKey('cordoned');
/** Its value where the node is off until its host returns from maintenance; else `true`. */
export const DRAINED = 'drained';

/** Which labels and taints we set on a worker: what leaves the config is taken away, what others set stays. */
export const NODE_MARKS = ownKey('node-marks');

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** What a node object should carry beyond what its kubelet sets. */
export interface NodeMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
}

export function taintId({ key, effect }: NodeTaint): string {
  return `${key}:${effect}`;
}

/** Labels in namespaces of Kubernetes that a kubelet may set (kubeletapis.IsKubeletLabel of Kubernetes). */
const KUBELET_LABELS: readonly RegExp[] = [
  /^kubernetes\.io\/(hostname|os|arch)$/,
  /^beta\.kubernetes\.io\/(os|arch|instance-type)$/,
  /^(failure-domain\.beta|topology)\.kubernetes\.io\/(zone|region)$/,
  /^([^/]+\.)?(kubelet|node)\.kubernetes\.io\//,
];

/**
 * Talos sets labels and taints of a worker with its kubelet's credentials in one update. NodeRestriction refuses taints
 * and these labels, and the whole update with them: oxherd sets them itself.
 */
export function isRestrictedLabel(label: string): boolean {
  const namespace = label.includes('/') ? (label.split('/')[0] ?? '') : '';
  if (/(^|\.)node-restriction\.kubernetes\.io$/.test(namespace)) return true;
  if (!/(^|\.)(kubernetes|k8s)\.io$/.test(namespace)) return false;
  return !KUBELET_LABELS.some((allowed) => allowed.test(label));
}

/** What the annotation names: labels and taints that we set before. */
export function parseNodeMarks(text: string | undefined): {
  labels: readonly string[];
  taints: readonly string[];
} {
  const [labels = '', taints = ''] = (text ?? '').split(';');
  const list = (part: string) => part.split(',').filter((one) => one !== '');
  return { labels: list(labels), taints: list(taints) };
}

export function formatNodeMarks({ labels, taints }: NodeMarks): string {
  return `${Object.keys(labels).sort().join(',')};${taints.map(taintId).sort().join(',')}`;
}
