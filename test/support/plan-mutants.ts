/** Plans with one ordering edge less, and which of them the check finds. */
import { planViolations } from '../../src/plan/check/check-plan.js';
import type { PlanFacts } from '../../src/plan/check/plan-facts.js';
import { StepOrder } from '../../src/plan/facts/step-order.js';
import type { Step } from '../../src/plan/steps.js';

export interface MutantCount {
  readonly total: number;
  /** Edges whose loss nothing tells. */
  readonly survivors: readonly string[];
}

/** Every edge of the transitive reduction, taken away alone. */
export function mutantsOf(steps: readonly Step[], facts: PlanFacts): MutantCount {
  const order = new StepOrder(steps);
  const reduced = steps.map((step): Step => ({ ...step, needs: order.directNeeds(step) }));
  const survivors: string[] = [];
  let total = 0;
  for (const [index, step] of reduced.entries()) {
    for (const need of step.needs) {
      total += 1;
      const mutant = reduced.with(index, { ...step, needs: step.needs.filter((other) => other !== need) });
      if (planViolations(mutant, facts).length === 0) survivors.push(`${need} → ${step.id}`);
    }
  }
  return { total, survivors };
}
