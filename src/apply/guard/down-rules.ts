/** What a plan says about taking each of its nodes down: which checks hold, and which were replaced by a confirmation. */
import type { Plan } from '../../plan/plan.js';
import type { StepOf } from '../../plan/steps.js';

export type DownRule =
  /** The outage itself was confirmed: `destroy`, or etcd starts again as a whole (`--fresh`, `etcd restore`). */
  | { readonly kind: 'confirmed' }
  /** It comes back. */
  | { readonly kind: 'roll'; readonly step: StepOf<'begin-disruption'> }
  /** It leaves the cluster. */
  | { readonly kind: 'retire'; readonly step: StepOf<'retire-node'> };

/** By id of the Talos VM; a VM without a rule may not be taken down. */
export type DownRules = (vmid: number) => DownRule | undefined;

export function downRulesOf({
  action,
  steps,
  confirmedOutage = [],
}: Pick<Plan, 'action' | 'steps' | 'confirmedOutage'>): DownRules {
  if (action === 'destroy') return () => ({ kind: 'confirmed' });
  const rules = new Map<number, DownRule>(confirmedOutage.map((vmid) => [vmid, { kind: 'confirmed' }]));
  for (const step of steps) {
    if (step.kind === 'begin-disruption') rules.set(step.vmid, { kind: 'roll', step });
    if (step.kind === 'retire-node') rules.set(step.vmid, { kind: 'retire', step });
  }
  return (vmid) => rules.get(vmid);
}
