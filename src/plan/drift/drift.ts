/**
 * What of a plan is drift: differences that someone made in Proxmox, in a machine or in the cluster, and not in
 * oxherd.yaml. Where nothing tells who made one it counts as drift too, and says so.
 */
import type { Plan } from '../plan.js';
import type { Drift } from '../step-base.js';
import type { Step, StepKind } from '../steps.js';

/** They come with a change that was set right before them on the same node. */
const FOLLOWS: ReadonlySet<StepKind> = new Set<StepKind>(['reboot-machine', 'start-vm', 'attach-drive']);

/** They stand around whatever takes a node away. */
const AROUND: ReadonlySet<StepKind> = new Set<StepKind>(['begin-disruption', 'end-disruption']);

/** The same plan with the other steps and reasons left out. It is for reading: what remains need not work on its own. */
export function driftOnly(plan: Plan): Plan {
  const kept = new Map<string, Step>();
  for (const step of plan.steps) {
    const reasons = (step.drift ?? []).map(({ reason }) => reason);
    // Steps come after what they need, so one pass is enough.
    if (reasons.length > 0) kept.set(step.id, { ...step, reasons });
    else if (
      FOLLOWS.has(step.kind) &&
      step.needs.some((need) => kept.get(need)?.node === step.node && kept.has(need))
    )
      kept.set(step.id, step);
  }
  const away = new Set([...kept.values()].flatMap((step) => (step.impact === 'restart' ? [step.node] : [])));
  return {
    ...plan,
    // Part of a plan is not that plan.
    planId: '',
    steps: plan.steps.flatMap((step) => {
      if (AROUND.has(step.kind) && away.has(step.node)) return [step];
      return kept.get(step.id) ?? [];
    }),
    // What could not be read may differ as well.
    notes: plan.notes.filter(({ code }) => code === 'drift' || code === 'unknown'),
  };
}

/** Something differs from oxherd.yaml by another hand, whether it is set right or stays. */
export function hasDrift({ steps, notes }: Plan): boolean {
  return steps.some((step) => step.drift !== undefined) || notes.some(({ code }) => code === 'drift');
}

/** Who made it and who wins, in a few words behind a reason. */
export function driftWords({ by }: Drift): string {
  switch (by) {
    case 'hand':
      return 'changed outside oxherd; oxherd.yaml wins';
    case 'both':
      return 'changed outside oxherd and in oxherd.yaml; oxherd.yaml wins';
    case 'unknown':
      return 'changed in oxherd.yaml or outside oxherd; oxherd.yaml wins';
  }
}
