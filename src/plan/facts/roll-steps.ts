import type { Step } from '../steps.js';

/** Pods stay: the node is neither cordoned nor drained for it, but it has its turn like the others. */
export function restartsComponent(step: Step): boolean {
  return step.kind === 'change-config' && step.impact === 'component';
}
