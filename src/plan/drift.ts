/** What of a plan is drift: things that are there and differ from the file, not things that are still to be made. */
import type { Plan } from './plan.js';
import type { Step, StepKind } from './steps.js';

/** They bring something into being; what waits for it is part of the making. */
const MAKES: ReadonlySet<StepKind> = new Set<StepKind>([
  'create-secrets',
  'create-data-vm',
  'create-talos-vm',
  'add-drive',
  'create-csi-volume',
  'create-csi-token',
  'create-sealed-key',
  'create-user',
  'create-pool',
  'configure-machine',
  'bootstrap',
]);

/** Help for other steps: no difference of their own, and no sign that something is new. */
const SUPPORTS: ReadonlySet<StepKind> = new Set<StepKind>([
  'download-image',
  'await-machine',
  'await-api',
  'await-nodes',
  'write-client-files',
]);

/** The same plan with the other steps left out. It is for reading: what remains need not work on its own. */
export function driftOnly(plan: Plan): Plan {
  const making = new Map<string, Step>();
  for (const step of plan.steps) {
    // Steps come after what they need, so one pass is enough.
    if (MAKES.has(step.kind) || step.needs.some((need) => waitsForMaking(step, making.get(need))))
      making.set(step.id, step);
  }
  const isDrift = (step: Step) => !making.has(step.id) && !SUPPORTS.has(step.kind);
  return { ...plan, steps: plan.steps.filter(isDrift) };
}

/** One node that waits its turn behind another is not new because that one is. */
function waitsForMaking(step: Step, made: Step | undefined): boolean {
  if (!made) return false;
  return step.node === undefined || made.node === undefined || step.node === made.node;
}
