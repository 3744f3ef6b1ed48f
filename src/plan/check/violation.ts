import type { Problem } from '../plan.js';

/** What is wrong with a plan: a bug of ours, whatever the user asked for. */
export interface Violation {
  readonly rule: 'cycle' | 'need' | 'order' | 'state' | 'cordon' | 'unavailable' | 'claim' | 'drain';
  readonly message: string;
  /** The steps it is about, as a chain. */
  readonly steps: readonly string[];
}

export function unsafe({ message, steps }: Violation): Problem {
  return {
    code: 'plan-unsafe',
    scope: 'plan',
    message: `this plan is not safe: ${message} (${steps.join(' → ')})`,
    advice:
      'nothing was done; this is a bug, please report it; smaller changes, one apply each, may get there',
  };
}
