/** What a plan and a status come to, and what a read that fails must not make of them. */
import { planText } from '../../../src/cli/views/plan.js';
import { statusText } from '../../../src/cli/views/status.js';
import { canonicalJson } from '../../../src/design/canonical-json.js';
import { healthVerdict } from '../../../src/health/condition.js';
import { OxherdError } from '../../../src/model/error.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { Step } from '../../../src/plan/steps.js';
import type { ClusterStatus } from '../../../src/session/plan/conditions.js';

/** A command that ended with an error has no verdict. */
export type Seen<T> = { readonly value: T } | { readonly error: string };

export interface Verdicts {
  readonly plan: Seen<Plan>;
  /** Absent: the request of the situation has no status. */
  readonly status?: Seen<Pick<ClusterStatus, 'conditions' | 'incomplete' | 'nodes'>>;
}

export async function seen<T>(read: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof OxherdError) return { error: `${error.code}: ${error.message}` };
    throw error;
  }
}

/** Of one read that failed: which verdicts cover it. */
export interface Covered {
  readonly plan: boolean;
  readonly status: boolean;
}

/** Lines that must not be; empty: the verdicts claim no more than was read. */
export function wrongVerdicts(full: Verdicts, faulted: Verdicts, covered: Covered): string[] {
  return [
    ...('value' in faulted.plan ? newSteps(full.plan, faulted.plan.value) : []),
    ...(covered.plan ? claimedPlan(faulted.plan) : []),
    ...(covered.status ? claimedStatus(faulted.status) : []),
  ];
}

/** Steps that the whole observation does not lead to; waiting is always allowed. */
export function newSteps(full: Seen<Plan>, { steps }: Plan): string[] {
  const known = new Map(('value' in full ? full.value.steps : []).map((step) => [step.id, step]));
  return steps
    .filter(({ action }) => action !== 'wait')
    .flatMap((step) => {
      const before = known.get(step.id);
      if (!before) return [`new step ${step.id} (${step.title})`];
      const [was, is] = [essenceOf(before), essenceOf(step)];
      return Object.keys({ ...was, ...is })
        .filter((key) => canonicalJson(was[key] ?? null) !== canonicalJson(is[key] ?? null))
        .map((key) => `step ${step.id} has another ${key}: ${canonicalJson(is[key] ?? null).slice(0, 300)}`);
    });
}

/** Without words for people, the order, and what the step compares again before it acts. */
function essenceOf(step: Step): Readonly<Record<string, unknown>> {
  const { needs: _n, relies: _r, title: _t, reasons: _w, drift: _d, load: _l, impact: _i, ...rest } = step;
  // Control planes that were seen to run: the step asks them again.
  if (rest.kind === 'change-config' && rest.restarts)
    return { ...rest, restarts: { ...rest.restarts, others: [] } };
  return rest;
}

function claimedPlan(plan: Seen<Plan>): string[] {
  if ('error' in plan) return [];
  const { problems, incomplete } = plan.value;
  if (problems.length > 0) return [];
  const says = /^No changes/m.test(planText(plan.value, false)) ? 'says "No changes"' : 'exits 0';
  return incomplete.length > 0 && says === 'exits 0' ? [] : [`plan ${says}`];
}

function claimedStatus(status: Verdicts['status']): string[] {
  if (!status || 'error' in status) return [];
  const { conditions, incomplete } = status.value;
  const isHealthy = healthVerdict(conditions, incomplete.length === 0) === 'healthy';
  const says = /^Healthy/m.test(statusText(status.value, { color: false, all: false, width: 100 }));
  return isHealthy || says ? ['status says Healthy'] : [];
}
