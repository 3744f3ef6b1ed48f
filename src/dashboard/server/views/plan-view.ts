/** A plan as the page shows it: equal nodes together, the order in which nodes go down, and who may apply it. */
import type { Confirmation } from '../../../session/confirm/confirmation.js';
import {
  blockView,
  durationWords,
  groupSteps,
  type Impact,
  incompleteText,
  type Plan,
  planWords,
  shortNames,
  totalsOf,
} from '../../../session/plan/index.js';
import type { PlanSummary, PlanView } from '../../api.js';

const BY_WEIGHT: readonly Impact[] = [
  'data-loss',
  'remove',
  'reset',
  'replace',
  'restart',
  'component',
  'live',
  'none',
];
/** From the command line only: what a node loses must be read in the terminal first. */
const NOT_FROM_A_PAGE: ReadonlySet<Impact> = new Set(['data-loss', 'remove', 'reset']);

function impactOf({ steps }: Pick<Plan, 'steps'>): Impact {
  return BY_WEIGHT.find((impact) => steps.some((step) => step.impact === impact)) ?? 'none';
}

export function planSummary(plan: Plan): PlanSummary {
  return {
    planId: plan.planId,
    steps: plan.steps.length,
    impact: impactOf(plan),
    problems: plan.problems.length,
    incomplete: plan.incomplete.length,
    what: plan.steps.length === 0 ? unchangedWords(plan) : planWords(plan).what,
  };
}

/** "No changes" is known only if everything was read. */
function unchangedWords({ incomplete }: Plan): string {
  return incomplete.length === 0 ? 'No changes.' : incompleteText(incomplete);
}

export function planView(
  plan: Plan,
  command: (text: string) => string,
  confirmation?: Confirmation,
): PlanView {
  const { waves, byNode } = totalsOf(plan).downtime;
  const words = planWords(plan);
  const refused = refusedBecause(plan);
  return {
    planId: plan.planId,
    blocks: groupSteps(plan.steps).map(blockView),
    problems: plan.problems,
    notes: plan.notes,
    incomplete: plan.incomplete,
    what: plan.steps.length === 0 ? unchangedWords(plan) : words.what,
    ...(plan.steps.length > 0 && words.downtime !== undefined && { downtime: words.downtime }),
    waves: waves.map((wave) => wave.map((node) => ({ node, time: timeOf(byNode.get(node)) }))),
    order: waves.map((wave) => shortNames(wave)).join(', then '),
    ...(refused !== undefined && { refused }),
    ...(confirmation && { confirmation }),
    commands: {
      plan: command('oxherd plan'),
      apply: command('oxherd apply'),
      rehearse: command('oxherd rehearse'),
    },
  };
}

function timeOf(seconds: Parameters<typeof durationWords>[0] | undefined): string {
  return seconds ? durationWords(seconds) : 'unknown';
}

/** Why a page does not apply this plan, whoever asks. */
export function refusedBecause(plan: Plan): string | undefined {
  if (plan.problems.some(({ scope }) => scope === 'plan')) return 'the plan has problems to solve first';
  if (plan.steps.length === 0) return 'there is nothing to do';
  const impact = impactOf(plan);
  if (!NOT_FROM_A_PAGE.has(impact)) return undefined;
  return `a plan that would ${impact === 'data-loss' ? 'destroy data' : `${impact} a node`} is applied from the command line only`;
}
