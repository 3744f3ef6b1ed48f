/** A plan that was saved to a file. Its steps are never carried out: they are compared with a plan made again. */

import { z } from 'zod';
import { issueText } from '../formats/text/issue-text.js';
import { OxherdError } from '../model/error.js';
import { once } from '../model/memoize.js';
import { parseImpact } from './impact.js';
import type { Plan } from './plan.js';
import { differingSteps } from './plan-id.js';
import { isStepKind, STEP_ACTIONS } from './step-actions.js';
import type { Step } from './steps.js';

const step = () =>
  z.looseObject({
    id: z.string().min(1),
    kind: z.string().refine(isStepKind, { error: ({ input }) => `unknown step kind ${String(input)}` }),
    node: z.string().optional(),
    title: z.string(),
    reasons: z.array(z.string()),
    action: z.enum(STEP_ACTIONS),
    impact: z.string().transform((word, context) => {
      const impact = parseImpact(word);
      if (impact !== undefined) return impact;
      context.addIssue(`unknown impact ${word}`);
      return z.NEVER;
    }),
    needs: z.array(z.string()),
    relies: z.record(z.string(), z.string()).optional(),
    load: z.object({ host: z.string().optional(), storage: z.string().optional() }),
  });

/** What a saved plan answers, besides what oxherd.yaml says. */
export type SavedRequest =
  | {
      readonly kind: 'drain-host';
      readonly host: string;
      readonly forSeconds: number;
      readonly stay: string[];
      readonly move: string[];
      readonly accept: { readonly podsDown: boolean; readonly noQuorum: boolean };
    }
  | { readonly kind: 'balance' };

const savedRequest = (): z.ZodType<SavedRequest> =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('drain-host'),
      host: z.string(),
      forSeconds: z.number().positive(),
      stay: z.array(z.string()),
      move: z.array(z.string()),
      accept: z.object({ podsDown: z.boolean(), noQuorum: z.boolean() }),
    }),
    z.object({ kind: z.literal('balance') }),
  ]);

const savedPlan = once(() =>
  z.object({
    format: z.literal(2),
    planId: z.string().regex(/^[0-9a-f]{64}$/, 'is no plan id'),
    secrets: z.string().optional(),
    desired: z.string(),
    cluster: z.object({ name: z.string(), env: z.string() }),
    action: z.enum(['apply', 'destroy']),
    steps: z.array(step()),
    /** Absent: it makes the cluster what oxherd.yaml says. */
    request: savedRequest().optional(),
  }),
);

type SavedPlan = z.infer<ReturnType<typeof savedPlan>>;

const format = once(() => z.looseObject({ format: z.number() }));

/** What is not a plan, or not one of this version, is refused before anything is done. */
export function parsePlan(text: string, file: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAPlan(`${file} is not a plan file`, cause);
  }
  const { data: written } = format().safeParse(value);
  if (!written) throw notAPlan(`${file} is not a plan file`);
  if (written.format !== 2)
    throw notAPlan(`${file} was written by another oxherd version (plan format ${written.format}, not 2)`);
  const parsed = savedPlan().safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw notAPlan(`${file} is not a valid plan: ${issue ? issueText(issue) : ''}`);
}

/** A saved plan is good for the state it was made for, and for no other. */
export function checkSavedPlan(saved: SavedPlan, now: Plan, file: string): void {
  const { name, env } = saved.cluster;
  if (name !== now.cluster.name || env !== now.cluster.env)
    throw stalePlan(`${file} is a plan for cluster ${name}${env === '' ? '' : ` (${env})`}`);
  if (saved.planId !== now.planId) {
    const lines = differingSteps(saved, now);
    const what =
      lines.length > 0 ? `\n  ${lines.join('\n  ')}` : ' (the same steps, but oxherd.yaml has changed since)';
    throw stalePlan(`${file} is stale: the plan for what is there now is another one${what}`);
  }
  // Before the first apply there are none to compare.
  if (saved.secrets !== undefined && now.secrets !== undefined && saved.secrets !== now.secrets)
    throw stalePlan(`${file} was created with other secrets`);
}

const MOST_LINES = 8;

/**
 * Which plan runs once the lock is held: the one that was shown, if it is still the plan for what is there. If only steps
 * of it are no longer needed (a task that a killed run had started has ended since), the rest of it runs.
 */
export function planToRun(shown: Plan, now: Plan): Plan {
  if (shown.planId === now.planId) return shown;
  if (isPartOf(now, shown)) return now;
  const problem = now.problems.find(({ scope }) => scope === 'plan');
  const lines = problem ? [problem.message] : differingSteps(shown, now, 'the plan that was shown');
  const rest = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : [];
  throw new OxherdError(
    'apply.plan-changed',
    ['the cluster changed after this plan was made', ...lines.slice(0, MOST_LINES), ...rest].join('\n  '),
    { advice: 'nothing was changed; run the command again and review the new plan' },
  );
}

/**
 * The same goal, no problem that the shown plan does not have, and no step that was not shown. A step that is missing because
 * a part could not be read this time is not done: a new unread part makes it another plan.
 */
function isPartOf(now: Plan, shown: Plan): boolean {
  const content = ({ needs: _, ...step }: Step) => JSON.stringify(step);
  const steps = new Map(shown.steps.map((step) => [step.id, step]));
  const problems = new Set(shown.problems.map(({ message }) => message));
  return (
    now.desired === shown.desired &&
    now.problems.every(({ message }) => problems.has(message)) &&
    now.incomplete.every(({ what }) => shown.incomplete.some((part) => part.what === what)) &&
    now.steps.every((step) => {
      const before = steps.get(step.id);
      return (
        before !== undefined &&
        content(before) === content(step) &&
        step.needs.every((id) => before.needs.includes(id))
      );
    })
  );
}

function stalePlan(message: string): OxherdError {
  return new OxherdError('apply.stale-plan', message, {
    advice: 'review the changes with `oxherd plan`, save them again with --out, then apply that',
  });
}

function notAPlan(message: string, cause?: unknown): OxherdError {
  return new OxherdError('apply.no-plan', message, {
    advice: 'create one with `oxherd plan --out FILE`',
    cause,
  });
}
