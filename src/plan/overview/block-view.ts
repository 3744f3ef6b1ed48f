/** The blocks of a plan as people read them, in a terminal and on a page: what is done to which nodes, and why. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { driftWords } from '../drift/drift.js';
import { type Impact, isDisruptive } from '../impact.js';
import type { StepAction } from '../step-actions.js';
import type { Step } from '../steps.js';
import type { KubernetesBlock, NodesBlock, PlanBlock, SharedStep } from './group-steps.js';
import { type UpgradeStage, upgradePath, upgradeStages } from './kubernetes-upgrade.js';
import { nodesHeading, shortNames } from './node-names.js';
import { describe, fillIn } from './node-text.js';

export interface BlockView {
  readonly heading: string;
  /** Nodes that have these changes; empty: the cluster's own. */
  readonly nodes: readonly string[];
  readonly steps: readonly StepView[];
  readonly foot?: string;
}

export interface StepView {
  readonly sign: StepSign;
  readonly title: string;
  readonly impact: Impact;
  /** The impact in words; '' for none. */
  readonly effect: string;
  /** Where a difference was made outside oxherd, `drift` says so. */
  readonly reasons: readonly { readonly text: string; readonly drift?: string }[];
  /** Lines of a changed config. */
  readonly diff: readonly string[];
}

/** `!`: destroys data. `↻`: a node or a component restarts. */
export type StepSign = '+' | '~' | '-' | '…' | '!' | '↻';

export function blockView(block: PlanBlock): BlockView {
  switch (block.kind) {
    case 'cluster':
      return { heading: 'cluster', nodes: [], steps: block.steps.map((step) => stepView(step)) };
    case 'kubernetes':
      return kubernetesView(block);
    case 'nodes':
      return nodesView(block);
  }
}

function nodesView(block: NodesBlock): BlockView {
  const steps = block.steps.flatMap((shared) => {
    const [step] = shared.members;
    const [values] = block.values;
    if (!step || !values) return [];
    if (block.nodes.length === 1)
      return [
        stepView(
          step,
          shared.diff.map((line) => fillIn(line, values)),
        ),
      ];
    const diff = shared.diff.map((line) => describe(line, block.values, 'the'));
    return [stepView(asOne(step, shared, block), diff)];
  });
  return { heading: nodesHeading(block.nodes), nodes: block.nodes, steps };
}

/** The step as it reads for all nodes of the block. */
function asOne(step: Step, { title, reasons }: SharedStep, { values }: NodesBlock): Step {
  const words = reasons.map((reason) => describe(reason, values, 'the'));
  return {
    ...step,
    title: describe(title, values, 'each'),
    reasons: words,
    ...(step.drift && {
      drift: step.drift.map((one) => ({
        ...one,
        reason: words[step.reasons.indexOf(one.reason)] ?? one.reason,
      })),
    }),
  };
}

function stepView(step: Step, diff: readonly string[] = []): StepView {
  return {
    sign: signOf(step),
    title: step.title,
    impact: step.impact,
    effect: IMPACT_WORDS[step.impact],
    reasons: step.reasons.map((text) => {
      const drift = step.drift?.find((one) => one.reason === text);
      return { text, ...(drift && { drift: driftWords(drift) }) };
    }),
    diff,
  };
}

const SIGNS: Readonly<Record<StepAction, StepSign>> = { create: '+', change: '~', remove: '-', wait: '…' };

function signOf({ action, impact }: Pick<Step, 'action' | 'impact'>): StepSign {
  if (impact === 'data-loss') return '!';
  if (isDisruptive(impact) && action !== 'remove') return '↻';
  return SIGNS[action];
}

const COMPONENTS: Readonly<Record<keyof ComponentVersions, string>> = {
  apiServer: 'API server',
  controllerManager: 'controller manager',
  scheduler: 'scheduler',
  proxy: 'kube-proxy',
  kubelet: 'kubelet',
};

function kubernetesView({ steps }: KubernetesBlock): BlockView {
  const path = upgradePath(steps);
  return {
    heading: path.length > 1 ? `Kubernetes ${path.join(' → ')}` : `Kubernetes to ${path.join()}`,
    nodes: [],
    steps: upgradeStages(steps).flatMap((stage) => {
      const [first] = stage.steps;
      if (!first) return [];
      return [{ ...stepView(first), title: stageWords(stage), reasons: [] }];
    }),
    foot: `one node at a time; ${drainText(steps)}`,
  };
}

/** Pods stay, but for the node that the first kubelet of a version gets. */
function drainText(steps: KubernetesBlock['steps']): string {
  const drained = steps.flatMap((step) =>
    step.kind === 'upgrade-component' && step.drained?.drain && step.node !== undefined ? [step.node] : [],
  );
  return drained.length === 0
    ? 'nodes are not drained'
    : `only ${shortNames([...new Set(drained)])} is drained, for the first kubelet`;
}

function stageWords({ what, to, nodes }: UpgradeStage): string {
  const where = nodes.length > 3 ? nodesHeading(nodes) : shortNames(nodes);
  if (what === 'images') return `pull the images on ${where}`;
  if (what === 'manifests') return `${to}: Talos manifests (CoreDNS, kube-proxy and others)`;
  return `${to}: ${what.map((component) => COMPONENTS[component]).join(', ')} on ${where}`;
}

/** What a step does to whoever uses the node. */
const IMPACT_WORDS: Readonly<Record<Impact, string>> = {
  none: '',
  live: 'live',
  component: 'restarts a component or its network',
  restart: 'restarts the node',
  replace: 'replaces the system disk',
  reset: 'resets the node (new /var)',
  remove: 'removes the node, keeps its data',
  'data-loss': 'destroys data',
};
