/** A plan for people: what and why by node, nodes with the same changes together, and a summary. */
import { basename } from 'node:path';
import type { Plan, Problem } from '../../session/plan/index.js';
import {
  describe,
  fillIn,
  groupSteps,
  NodeText,
  type NodeValues,
  nodesHeading,
  singleBlocks,
} from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { withUserFlags } from '../own-commands.js';
import { type Paint, paint } from './paint.js';
import { blockText } from './plan-blocks.js';
import { orderText, summaryText } from './plan-summary.js';
import { columnsOf, fitted } from './screen/wrap.js';

interface PlanWords {
  /** Said where the plan has no steps. */
  readonly unchanged?: string;
  /** Each node in a block of its own, with every line. */
  readonly full?: boolean;
  /** The config's name, as the user knows it. */
  readonly config?: string;
}

export function printPlan(context: CliContext, plan: Plan, words: PlanWords = {}): void {
  const { color, full = false, config } = context.globals;
  const text = planText(plan, color, { full, config: basename(config), ...words });
  context.stdout.write(`${fitted(withUserFlags(context, text), columnsOf(context))}\n`);
}

export function planText(plan: Plan, color: boolean, words: PlanWords = {}): string {
  const colors = paint(color);
  const { full = false, config = 'oxherd.yaml', unchanged = unchangedText(plan, config) } = words;
  const blocks = full ? singleBlocks(plan.steps) : groupSteps(plan.steps);
  return [
    ...blocks.map((block) => blockText(block, colors, full)),
    ...orderText(plan, colors),
    ...(plan.notes.length > 0 ? [notesText(plan, colors)] : []),
    ...(plan.problems.length > 0 ? [problemsText(plan, colors, full)] : []),
    ...(plan.incomplete.length > 0 ? [incompleteBlock(plan, colors)] : []),
    summaryText(plan, colors, unchanged),
  ].join('\n\n');
}

function unchangedText({ notes }: Plan, config: string): string {
  return notes.some((note) => note.code === 'drift')
    ? 'No changes. Drift left in place is listed under notes.'
    : `No changes. The cluster matches ${config}.`;
}

export function notesText(plan: Plan, colors: Paint): string {
  const lines = plan.notes.map((note) => `  ${colors.dim(note.code)}  ${note.message}`);
  return [colors.bold('notes'), ...lines].join('\n');
}

export function incompleteBlock({ incomplete }: Plan, colors: Paint): string {
  const lines = incomplete.map(({ what, why }) => `  ${colors.yellow('?')} ${what}: ${why}`);
  return [colors.bold('not compared'), ...lines].join('\n');
}

export function problemsText(plan: Plan, colors: Paint, full: boolean): string {
  const lines = (full ? plan.problems : sharedProblems(plan.problems)).flatMap((problem) => [
    `  ${colors.red('✗')} ${problem.message}`,
    colors.dim(`      ${problem.advice}`),
  ]);
  return [colors.bold('problems'), ...lines].join('\n');
}

interface SharedProblem {
  readonly nodes: readonly string[];
  readonly message: string;
  readonly advice: string;
  readonly values: readonly NodeValues[];
}

/** The same problem of several nodes is said once. */
function sharedProblems(problems: readonly Problem[]): Pick<Problem, 'message' | 'advice'>[] {
  const shared = new Map<string, SharedProblem>();
  for (const problem of problems) {
    const { node = '' } = problem;
    const text = new NodeText(node, []);
    const [message, advice] = [text.template(problem.message), text.template(problem.advice)];
    const key = JSON.stringify([problem.code, node === '', message, advice]);
    const known = shared.get(key);
    shared.set(key, {
      nodes: [...(known?.nodes ?? []), node],
      message,
      advice,
      values: [...(known?.values ?? []), text.values],
    });
  }
  return [...shared.values()].map(({ nodes, message, advice, values }) => {
    const [only] = values;
    return nodes.length === 1 && only
      ? { message: fillIn(message, only), advice: fillIn(advice, only) }
      : {
          message: `${nodesHeading(nodes)}: ${describe(message, values, 'each')}`,
          advice: describe(advice, values, 'each'),
        };
  });
}
