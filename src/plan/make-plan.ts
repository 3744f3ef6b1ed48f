import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../observe/observed.js';
import { planViolations } from './check/check-plan.js';
import { factsOf } from './check/plan-facts.js';
import { unsafe } from './check/violation.js';
import { incompleteParts } from './facts/incomplete.js';
import { reliedOn } from './facts/relied-on.js';
import type { DesiredMachines } from './input.js';
import type { Plan } from './plan.js';
import { desiredDigest, planIdOf } from './plan-id.js';
import type { Step } from './steps.js';

type Contents = Pick<Plan, 'steps'> &
  Partial<Pick<Plan, 'action' | 'problems' | 'notes' | 'confirmedOutage'>> & {
    readonly machines?: DesiredMachines | undefined;
    readonly kubernetes?: KubernetesDesign | undefined;
    /** Whether nodes are drained one after the other, and those on one host never together. */
    readonly rolled?: boolean;
    readonly spreadHosts?: boolean;
    /** The nodes that the plan is limited to. */
    readonly only?: readonly string[] | undefined;
    readonly lostHost?: string | undefined;
  };

/** A plan with what it is for, what it relies on, and its id. */
export function makePlan(
  design: Design,
  observed: Observed,
  {
    action = 'apply',
    steps: planned,
    problems: found = [],
    notes = [],
    machines,
    kubernetes,
    confirmedOutage = [],
    rolled = false,
    spreadHosts = false,
    only,
    lostHost,
  }: Contents,
): Plan {
  const violations = planViolations(planned, factsOf(design, observed, { rolled, spreadHosts }));
  const problems = [...found, ...violations.slice(0, 1).map(unsafe)];
  // A violation is a bug of ours: nothing of such a plan is carried out.
  const steps = violations.length > 0 ? [] : planned;
  const cluster = { name: design.cluster.name, env: design.cluster.env };
  const desired = desiredDigest(design, { ...(machines && { machines }), ...(kubernetes && { kubernetes }) });
  const relying = steps.map((step): Step => {
    const relies = reliedOn(step, observed);
    return relies ? { ...step, relies } : step;
  });
  const secrets = machines?.secrets.fingerprint;
  return {
    format: 2,
    planId: planIdOf({ cluster, action, desired, steps: relying }),
    ...(secrets !== undefined && { secrets }),
    desired,
    cluster,
    action,
    ...(confirmedOutage.length > 0 && { confirmedOutage }),
    steps: relying,
    problems,
    incomplete: incompleteParts(design, observed, { only, lostHost }),
    notes,
  };
}
