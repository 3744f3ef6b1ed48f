import { describe, expect, it } from 'vitest';
import { step } from '../../test/support/apply/step.js';
import { partOf } from '../../test/support/part-of.js';
import type { Plan } from './plan.js';
import { planToRun } from './saved-plan.js';
import type { Step } from './steps.js';

const FIRST = step('await-api', { id: 'first', controlPlanes: [] } as never);
const SECOND = step('await-api', { id: 'second', needs: ['first'], controlPlanes: [] } as never);

function plan(planId: string, steps: readonly Step[], more: Partial<Plan> = {}): Plan {
  return partOf<Plan>({ planId, desired: 'goal', problems: [], incomplete: [], notes: [], steps, ...more });
}

describe('the plan that runs once the lock is held', () => {
  const shown = plan('shown', [FIRST, SECOND]);

  it('is the plan that was shown, if nothing has changed', () => {
    expect(planToRun(shown, plan('shown', [FIRST, SECOND]))).toBe(shown);
  });

  it('is the rest of it, if some of its steps are no longer needed', () => {
    const rest = plan('rest', [{ ...SECOND, needs: [] }]);
    expect(planToRun(shown, rest)).toBe(rest);
  });

  it.each<[string, Plan]>([
    ['a step that was not shown', plan('now', [FIRST, { ...SECOND, id: 'third' }])],
    ['another content of a step', plan('now', [{ ...FIRST, title: 'something else' }])],
    ['another order', plan('now', [{ ...FIRST, needs: ['second'] }, SECOND])],
    [
      'a part that could not be read',
      plan('now', [FIRST], { incomplete: [{ what: 'VM 151', why: 'pve2 is down' }] }),
    ],
    ['another goal', plan('now', [FIRST], { desired: 'another goal' })],
    [
      'a problem that the shown plan does not have',
      plan('now', [FIRST], {
        problems: [{ code: 'x', message: 'a host is down', advice: '', scope: 'plan' }],
      }),
    ],
  ])('is refused with %s', (_, now) => {
    expect(() => planToRun(shown, now)).toThrow(expect.objectContaining({ code: 'apply.plan-changed' }));
  });
});
