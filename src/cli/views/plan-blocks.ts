/** The blocks of a plan as lines: what is done to which nodes, and why. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type {
  KubernetesBlock,
  NodesBlock,
  PlanBlock,
  SharedStep,
  Step,
  StepAction,
} from '../../session/plan/index.js';
import {
  describe,
  driftWords,
  fillIn,
  type Impact,
  isDisruptive,
  nodesHeading,
  shortNames,
  type UpgradeStage,
  upgradePathIn,
  upgradeStages,
} from '../../session/plan/index.js';
import { counted } from './count.js';
import type { Paint } from './paint.js';

/** More of a config's difference is shown by `--full`. */
const DIFF_LINES = 24;

export function blockText(block: PlanBlock, colors: Paint, full: boolean): string {
  switch (block.kind) {
    case 'cluster':
      return [colors.bold('cluster'), ...block.steps.flatMap((step) => stepLines(step, colors, full))].join(
        '\n',
      );
    case 'kubernetes':
      return kubernetesText(block, colors);
    case 'nodes':
      return nodesText(block, colors, full);
  }
}

function nodesText(block: NodesBlock, colors: Paint, full: boolean): string {
  const lines = block.steps.flatMap((shared) => {
    const [step] = shared.members;
    const [values] = block.values;
    if (!step || !values) return [];
    if (block.nodes.length === 1)
      return stepLines(
        step,
        colors,
        full,
        shared.diff.map((line) => fillIn(line, values)),
      );
    const diff = shared.diff.map((line) => describe(line, block.values, 'the'));
    return stepLines(asOne(step, shared, block), colors, full, diff);
  });
  return [colors.bold(nodesHeading(block.nodes)), ...lines].join('\n');
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

function stepLines(step: Step, colors: Paint, full: boolean, diff: readonly string[] = []): string[] {
  return [
    `  ${sign(step, colors)} ${step.title}${impactMark(step.impact, colors)}`,
    ...step.reasons.map((reason) => `${colors.dim(`      ${reason}`)}${driftMark(step, reason, colors)}`),
    ...diffLines(diff, colors, full),
  ];
}

const COMPONENTS: Readonly<Record<keyof ComponentVersions, string>> = {
  apiServer: 'API server',
  controllerManager: 'controller manager',
  scheduler: 'scheduler',
  proxy: 'kube-proxy',
  kubelet: 'kubelet',
};

function kubernetesText({ steps }: KubernetesBlock, colors: Paint): string {
  const path = upgradePathIn(steps);
  const heading = path.length > 1 ? `Kubernetes ${path.join(' → ')}` : `Kubernetes to ${path.join()}`;
  const lines = upgradeStages(steps).map((stage) => {
    const [first] = stage.steps;
    return first ? `  ${sign(first, colors)} ${stageWords(stage)}${impactMark(first.impact, colors)}` : '';
  });
  return [colors.bold(heading), ...lines, colors.dim('      one node at a time; nodes are not drained')].join(
    '\n',
  );
}

function stageWords({ what, to, nodes }: UpgradeStage): string {
  const where = nodes.length > 3 ? nodesHeading(nodes) : shortNames(nodes);
  if (what === 'images') return `pull the images on ${where}`;
  if (what === 'manifests') return `${to}: Talos manifests (CoreDNS, kube-proxy and others)`;
  return `${to}: ${what.map((component) => COMPONENTS[component]).join(', ')} on ${where}`;
}

/** A difference that the config did not make is told from one that it did. */
function driftMark({ drift }: Step, reason: string, colors: Paint): string {
  const found = drift?.find((one) => one.reason === reason);
  return found ? colors.yellow(`  (${driftWords(found)})`) : '';
}

function diffLines(lines: readonly string[], colors: Paint, full: boolean): string[] {
  const shown = full ? lines : lines.slice(0, DIFF_LINES);
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => `        ${paintDiff(line, colors)}`),
    ...(more > 0 ? [colors.dim(`        … ${counted(more, 'more line')}; see them with --full`)] : []),
  ];
}

function paintDiff(line: string, colors: Paint): string {
  if (line.startsWith('+')) return colors.green(line);
  if (line.startsWith('-')) return colors.red(line);
  return colors.dim(line);
}

const SIGNS: Readonly<Record<StepAction, (colors: Paint) => string>> = {
  create: (colors) => colors.green('+'),
  change: (colors) => colors.cyan('~'),
  remove: (colors) => colors.red('-'),
  wait: (colors) => colors.dim('…'),
};

function sign(step: Step, colors: Paint): string {
  if (step.impact === 'data-loss') return colors.red('!');
  if (isDisruptive(step.impact) && step.action !== 'remove') return colors.yellow('↻');
  return SIGNS[step.action](colors);
}

function impactMark(impact: Impact, colors: Paint): string {
  switch (impact) {
    case 'none':
      return '';
    case 'live':
      return colors.dim('  live');
    case 'component':
      return colors.yellow('  restarts a component or its network');
    case 'restart':
      return colors.yellow('  restarts the node');
    case 'replace':
      return colors.yellow('  replaces the system disk');
    case 'reset':
      return colors.red('  resets the node (new /var)');
    case 'remove':
      return colors.red('  removes the node, keeps its data');
    case 'data-loss':
      return colors.red('  destroys data');
  }
}
