/**
 * The parts of Kubernetes change while every node is there: after the nodes that go away are back, and no component
 * of another node restarts. What oxherd.yaml puts
 * into the cluster follows them. Their images come before all of it, so that a pull that fails has changed nothing.
 */

import { restartsComponent } from '../facts/roll-steps.js';
import type { Draft } from '../planned.js';
import type { Step } from '../steps.js';

export function orderKubernetes({ list }: Draft): void {
  const parts = list.steps.filter(isPart);
  const last = parts.at(-1);
  if (!last) return;
  const ids = new Set(parts.map((step) => step.id));
  const ends = idsOf(list.steps, (step) => step.kind === 'end-disruption');
  const turns = idsOf(list.steps, restartsComponent);
  // The others wait for these already.
  const first = parts.filter((step) => !step.needs.some((need) => ids.has(need))).map((step) => step.id);
  for (const over of [...ends, ...turns]) list.addNeeds(first, over);
  // Each of them, not only the first: which one that is may follow the leader of etcd.
  const begins = idsOf(list.steps, (step) => step.kind === 'begin-disruption');
  for (const pull of idsOf(list.steps, (step) => step.kind === 'pull-images')) list.addNeeds(begins, pull);
  list.addNeeds(idsOf(list.steps, isInCluster), last.id);
  list.sortByNeeds();
}

export function isPart({ kind }: Step): boolean {
  return kind === 'upgrade-component' || kind === 'sync-manifests';
}

function isInCluster({ kind }: Step): boolean {
  return ['apply-object', 'delete-object', 'install-cilium', 'install-gitops'].includes(kind);
}

function idsOf(steps: readonly Step[], filter: (step: Step) => boolean): string[] {
  return steps.filter(filter).map((step) => step.id);
}
