/** A step as a plan would have it, for the fields that a test does not care about. */
import { ACTION_OF } from '../../../src/plan/step-actions.js';
import type { StepBase } from '../../../src/plan/step-base.js';
import type { StepKind, StepOf } from '../../../src/plan/steps.js';

/** Without what every step has: spread over the kinds, so that each keeps its own fields. */
type Own<S> = S extends StepBase ? Omit<S, keyof StepBase | 'kind'> : never;

export function step<K extends StepKind>(
  kind: K,
  fields: Own<StepOf<K>> & Partial<Omit<StepBase, 'action'>>,
): StepOf<K> {
  const base: StepBase = {
    id: `${kind}:test`,
    title: kind,
    reasons: [],
    action: ACTION_OF[kind],
    impact: 'live',
    needs: [],
    load: {},
  };
  // The parameters are that kind's own fields; TypeScript cannot follow that through the union.
  const whole: unknown = { ...base, kind, ...fields };
  return whole as StepOf<K>;
}
