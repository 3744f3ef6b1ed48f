import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../observe/observed.js';
import type { DesiredMachines } from './input.js';
import type { Plan } from './plan.js';
import { desiredDigest, planIdOf } from './plan-id.js';
import { reliedOn } from './relied-on.js';
import type { Step } from './steps.js';

type Contents = Pick<Plan, 'steps'> &
  Partial<Pick<Plan, 'action' | 'problems' | 'notes'>> & {
    readonly machines?: DesiredMachines | undefined;
    readonly kubernetes?: KubernetesDesign | undefined;
  };

/** A plan with what it is for, what it relies on, and its id. */
export function makePlan(
  design: Design,
  observed: Observed,
  { action = 'apply', steps, problems = [], notes = [], machines, kubernetes }: Contents,
): Plan {
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
    steps: relying,
    problems,
    notes,
  };
}
