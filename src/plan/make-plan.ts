import type { Design } from '../design/design.js';
import type { Observed } from '../observe/observed.js';
import { fingerprintOf } from './fingerprint.js';
import type { Plan } from './plan.js';

type Contents = Pick<Plan, 'steps'> & Partial<Pick<Plan, 'action' | 'problems' | 'notes'>>;

/** A plan with what it is for and what it relies on. */
export function makePlan(
  design: Design,
  observed: Observed,
  { action = 'apply', steps, problems = [], notes = [] }: Contents,
): Plan {
  return {
    format: 1,
    cluster: { name: design.cluster.name, env: design.cluster.env },
    action,
    fingerprint: fingerprintOf(design, observed),
    steps,
    problems,
    notes,
  };
}
