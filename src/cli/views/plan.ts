/** A plan for people: grouped by node, what and why, and one line that sums it up. */
import { driftWords } from '../../plan/drift/drift.js';
import { type Impact, isDisruptive, type Plan } from '../../plan/plan.js';
import { durationWords, estimatedDowntime } from '../../plan/roll/estimated-downtime.js';
import { rollOrderOf } from '../../plan/roll/roll-order.js';
import type { StepAction } from '../../plan/step-actions.js';
import type { Step } from '../../plan/steps.js';
import type { CliContext } from '../context.js';
import { withUserFlags } from '../own-commands.js';
import { type Paint, paint } from './paint.js';

export interface PlanWords {
  /** Said where the plan has no steps. */
  readonly nothing?: string;
}

export function printPlan(context: CliContext, plan: Plan, words: PlanWords = {}): void {
  const text = planText(plan, context.globals.color, words);
  context.stdout.write(`${withUserFlags(context, text)}\n`);
}

export function planText(plan: Plan, color: boolean, words: PlanWords = {}): string {
  const colors = paint(color);
  const blocks = [
    ...groups(plan.steps).map(([name, steps]) => block(name, steps, colors)),
    ...orderText(plan, colors),
    ...(plan.notes.length > 0 ? [notesText(plan, colors)] : []),
    ...(plan.problems.length > 0 ? [problemsText(plan, colors)] : []),
    summary(plan, colors, words),
  ];
  return blocks.join('\n\n');
}

/** Steps that belong to no node come first, under the cluster's name. */
function groups(steps: readonly Step[]): [string, Step[]][] {
  const byNode = new Map<string, Step[]>();
  for (const step of steps) {
    const name = step.node ?? 'cluster';
    byNode.set(name, [...(byNode.get(name) ?? []), step]);
  }
  return [...byNode];
}

function block(name: string, steps: readonly Step[], colors: Paint): string {
  const lines = steps.flatMap((step) => [
    `  ${sign(step, colors)} ${step.title}${impactMark(step.impact, colors)}`,
    ...step.reasons.map((reason) => `${colors.dim(`      ${reason}`)}${driftMark(step, reason, colors)}`),
    ...(step.kind === 'change-config' ? diffLines(step.diff, colors) : []),
  ]);
  return [colors.bold(name), ...lines].join('\n');
}

/** A difference that the file did not make is told from one that it did. */
function driftMark({ drift }: Step, reason: string, colors: Paint): string {
  const found = drift?.find((one) => one.reason === reason);
  return found ? colors.yellow(`  (${driftWords(found)})`) : '';
}

/** The whole diff is in `plan --json` and `--out`; here is what fits below a step. */
const DIFF_LINES = 24;

function diffLines(diff: string, colors: Paint): string[] {
  const lines = diff.split('\n').filter((line) => /^[-+ ]/.test(line) && !/^(---|\+\+\+) /.test(line));
  const more = lines.length - DIFF_LINES;
  return [
    ...lines.slice(0, DIFF_LINES).map((line) => `        ${paintDiff(line, colors)}`),
    ...(more > 0 ? [colors.dim(`        … ${count(more, 'more line')}`)] : []),
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

/** The blocks above stand by node; this is how they follow each other. */
function orderText(plan: Plan, colors: Paint): string[] {
  const waves = rollOrderOf(plan.steps);
  const versions = new Set(
    plan.steps.flatMap((step) => (step.kind === 'upgrade-component' ? [step.to] : [])),
  );
  const together = Math.max(0, ...waves.map((wave) => wave.length));
  const lines = [
    ...(waves.length > 0 ? awayLines(plan, waves.flat(), together) : []),
    ...(versions.size > 0
      ? [
          `  Kubernetes ${[...versions].join(', then ')}: every API server, every controller manager, every scheduler, kube-proxy, kubelets, one machine at a time; then Talos's own manifests`,
        ]
      : []),
  ];
  return lines.length > 0 ? [[colors.bold('order'), ...lines].join('\n')] : [];
}

/** Nodes that are away for the same time stand together. */
function awayLines({ steps }: Plan, nodes: readonly string[], together: number): string[] {
  const byWords = new Map<string, string[]>();
  for (const node of nodes) {
    const seconds = estimatedDowntime(steps, node);
    const words = seconds ? `usually ${durationWords(seconds)}` : 'for an unknown time';
    byWords.set(words, [...(byWords.get(words) ?? []), node]);
  }
  const [only] = byWords.keys();
  // On a single node nothing could move anywhere.
  const drained = steps.some((step) => step.kind === 'begin-disruption' && step.drain !== undefined);
  const away = `${drained ? 'drained, then ' : ''}away until it is Ready again`;
  if (nodes.length === 1) return [`  ${nodes[0]} is ${away}, ${only}`];
  const how = together > 1 ? `up to ${together} workers at a time` : 'one at a time';
  const all = `  ${nodes.join(', ')}: ${how}, each ${away}`;
  if (byWords.size === 1) return [`${all}, ${only}`];
  return [`${all}:`, ...[...byWords].map(([words, names]) => `    ${names.join(', ')}: ${words}`)];
}

function notesText(plan: Plan, colors: Paint): string {
  const lines = plan.notes.map((note) => `  ${colors.dim(note.code)}  ${note.message}`);
  return [colors.bold('notes'), ...lines].join('\n');
}

function problemsText(plan: Plan, colors: Paint): string {
  const lines = plan.problems.flatMap((problem) => [
    `  ${colors.red('✗')} ${problem.message}`,
    colors.dim(`      ${problem.advice}`),
  ]);
  return [colors.bold('problems'), ...lines].join('\n');
}

function summary(plan: Plan, colors: Paint, { nothing = nothingToDo(plan) }: PlanWords): string {
  const blocked = plan.problems.some((problem) => problem.scope === 'plan');
  if (blocked)
    return colors.red(`Nothing can be done: ${count(plan.problems.length, 'problem')} to solve first.`);
  if (plan.steps.length === 0) {
    return plan.problems.length > 0
      ? colors.yellow(`Nothing to do on the other nodes; ${count(plan.problems.length, 'problem')}.`)
      : colors.green(nothing);
  }
  const created = plan.steps.filter(
    (step) => step.kind === 'create-talos-vm' || step.kind === 'create-data-vm',
  ).length;
  const removed = plan.steps.filter((step) => step.impact === 'remove' && step.kind !== 'retire-node').length;
  const reset = new Set(plan.steps.flatMap((step) => (step.impact === 'reset' ? [step.node] : [])));
  const parts = [
    created > 0 ? `${count(created, 'VM')} to create` : '',
    impactCount(plan, 'component', 'component restart'),
    impactCount(plan, 'restart', 'restart'),
    impactCount(plan, 'replace', 'new system disk'),
    reset.size > 0 ? `${count(reset.size, 'node')} to reset` : '',
    removed > 0 ? `${count(removed, 'VM')} to remove` : '',
    impactCount(plan, 'data-loss', 'step') && `${impactCount(plan, 'data-loss', 'step')} that destroy data`,
  ].filter(Boolean);
  const rest = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  const calm = plan.steps.every((step) => !isDisruptive(step.impact)) ? ' No node is interrupted.' : '';
  const id = plan.planId === '' ? '' : colors.dim(` Plan ${plan.planId.slice(0, 12)}.`);
  return `${colors.bold(`${count(plan.steps.length, 'step')}${rest}.${calm}`)}${id}`;
}

function nothingToDo({ notes }: Plan): string {
  return notes.some((note) => note.code === 'drift')
    ? 'Nothing to do: what differs from the file and stays so is in the notes.'
    : 'Nothing to do: everything is as the file says.';
}

function impactCount(plan: Plan, impact: Impact, word: string): string {
  const steps = plan.steps.filter((step) => step.impact === impact).length;
  return steps === 0 ? '' : count(steps, word);
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
