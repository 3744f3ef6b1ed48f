/** Labels and taints that a worker's kubelet may not set: put on the node object through the Kubernetes API. */
import { formatNodeMarks, type NodeMarks, parseNodeMarks, taintId } from '../../formats/marks/node-marks.js';
import { type KubeNode, kubeNodeOf } from '../../observe/observed-kubernetes.js';
import type { Planned } from '../planned.js';
import { type KubernetesDraft, type KubernetesPlan, part, readPart } from './kubernetes-part.js';

export function planNodeMarks(given: KubernetesPlan): Planned {
  return part(given, markNodes);
}

function markNodes({ context, design, there, api }: KubernetesDraft): void {
  const { list } = context;
  const ready = list.steps.filter((step) => step.kind === 'await-nodes').map((step) => step.id);
  if (design.nodeMarks.length === 0) return;
  const objects = there ? readPart(context, 'labels and taints of the nodes', there.nodes) : [];
  if (!objects) return;
  for (const { node, ...marks } of design.nodeMarks) {
    const object = kubeNodeOf(node, objects);
    const reasons = object ? differences(object, marks) : wanted(marks);
    if (reasons.length === 0) continue;
    list.add(node, {
      kind: 'mark-node',
      node,
      title: `set labels and taints of ${node} in Kubernetes`,
      reasons,
      impact: 'live',
      needs: [api, ...ready, ...configsOf(list.steps, node)],
      ...marks,
    });
  }
}

/** Its machine config no longer names them by then, so that Talos does not fight for them. */
function configsOf(steps: readonly { id: string; kind: string; node?: string }[], node: string): string[] {
  const kinds = ['change-config', 'configure-machine', 'await-machine'];
  return steps.filter((step) => step.node === node && kinds.includes(step.kind)).map((step) => step.id);
}

function wanted({ labels, taints }: NodeMarks): string[] {
  return [...Object.entries(labels).map(([key, value]) => `label ${key}=${value}`), ...taints.map(taintText)];
}

/** What is missing, what differs, and what we set before and the config does not name any more. */
function differences(object: KubeNode, marks: NodeMarks): string[] {
  const before = parseNodeMarks(object.marks);
  const ids = new Set(marks.taints.map(taintId));
  const reasons = [
    ...Object.entries(marks.labels).flatMap(([key, value]) =>
      object.labels?.[key] === value ? [] : [`label ${key}=${value}`],
    ),
    ...before.labels.filter((key) => !(key in marks.labels)).map((key) => `label ${key} is removed`),
    ...marks.taints.flatMap((taint) =>
      object.taints?.some((one) => taintText(one) === taintText(taint)) ? [] : [taintText(taint)],
    ),
    ...before.taints.filter((id) => !ids.has(id)).map((id) => `taint ${id} is removed`),
  ];
  const noted = formatNodeMarks(marks) === formatNodeMarksOf(before);
  return reasons.length > 0 || noted ? reasons : ['so that oxherd knows them for its own'];
}

function formatNodeMarksOf({ labels, taints }: ReturnType<typeof parseNodeMarks>): string {
  return `${[...labels].sort().join(',')};${[...taints].sort().join(',')}`;
}

function taintText({ key, value, effect }: NodeMarks['taints'][number]): string {
  return `taint ${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`;
}
