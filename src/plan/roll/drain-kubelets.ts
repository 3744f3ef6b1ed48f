/**
 * The first kubelet of a version gets a drained node: one that does not start costs a node without work on it. A node that
 * an earlier run left cordoned for its kubelet is uncordoned once that runs.
 */
import type { PolicyConfig } from '../../config/policy-config.js';
import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { stoppedComponents } from '../../observe/observed-components.js';
import { type KubeNode, kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { countedNodes } from '../facts/cluster-nodes.js';
import type { KubeletTurn } from '../machine-steps.js';
import type { Draft } from '../planned.js';
import type { Step, StepOf } from '../steps.js';

export function drainKubelets(
  { list, design, observed }: Draft,
  nodes: readonly NodeDesign[],
  policy: Pick<PolicyConfig, 'drain' | 'gates'>,
): void {
  const tried = new Set(runningKubelets(design.nodes, observed));
  for (const step of list.steps.filter(isKubelet)) {
    const node = nodes.find(({ name }) => name === step.node);
    const isFirst = step.from !== step.to && !tried.has(step.to);
    tried.add(step.to);
    if (!node || !(isFirst || objectOf(node, observed)?.cordonedByUs)) continue;
    const drained = turnOf(node, design.nodes, observed, policy);
    list.change(step.id, (found) =>
      found.kind === 'upgrade-component'
        ? { ...found, drained, ...(drained.drain && { title: `${found.title}, after a drain` }) }
        : found,
    );
  }
}

export function isDrainedKubelet(step: Step): boolean {
  return isKubelet(step) && step.drained !== undefined;
}

function isKubelet(step: Step): step is StepOf<'upgrade-component'> {
  return step.kind === 'upgrade-component' && step.component === 'kubelet';
}

/** Versions that a kubelet of this cluster has shown to run. */
function runningKubelets(nodes: readonly NodeDesign[], observed: Observed): string[] {
  return nodes.flatMap((node) => {
    const object = objectOf(node, observed);
    return object?.ready && stoppedComponents(node, observed).kubelet === undefined
      ? [object.kubeletVersion]
      : [];
  });
}

function objectOf({ name }: NodeDesign, { kubernetes }: Observed): KubeNode | undefined {
  return kubernetes?.nodes.known ? kubeNodeOf(name, kubernetes.nodes.value) : undefined;
}

function turnOf(
  node: NodeDesign,
  all: readonly NodeDesign[],
  observed: Observed,
  { drain, gates }: Pick<PolicyConfig, 'drain' | 'gates'>,
): KubeletTurn {
  const counted = countedNodes(
    all.filter(({ name }) => name !== node.name),
    observed,
  );
  return {
    vmid: node.talosVm.vmid,
    // Its work has no other place: all of it is away if the kubelet does not start.
    outage: counted.others.length === 0,
    controlPlanes: all.filter(({ role }) => role === 'controlplane').map(({ name, ip }) => ({ name, ip })),
    ...counted,
    maxAway: 1,
    gates,
    ...(counted.others.length > 0 && { drain }),
  };
}
