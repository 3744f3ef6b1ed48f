import { describe, expect, it } from 'vitest';
import { nodesOf, rolledPlan } from '../../../test/support/plan/rolled-plan.js';
import type { Plan } from '../../plan/plan.js';
import { planText } from './plan.js';

const PATH = ['v1.35.2', 'v1.36.1', 'v1.37.0'];

describe('the plan of a large cluster', () => {
  const plan = rolledPlan(nodesOf(3, 50), PATH);

  it('fits on a page', () => {
    const lines = planText(plan, false).split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(lines[0]).toBe('cp-1 … cp-3, work-1 … work-50 (53 nodes)');
    expect(lines).toContain('Kubernetes v1.35.2 → v1.36.1 → v1.37.0');
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });

  it('shows every step with --full', () => {
    const full = planText(plan, false, { full: true });
    for (const step of plan.steps) expect(full).toContain(step.title);
    expect(full).not.toContain('each node');
  });

  it('ends with what is changed and the expected downtime', () => {
    expect(planText(plan, false).split('\n').slice(-2)).toEqual([
      `${plan.steps.length} steps: change 53 nodes, restart 53 nodes. Plan 0123456789ab.`,
      'Downtime: 1 to 3 minutes per node, 30 to 133 minutes in total, plus draining.',
    ]);
  });
});

describe('a plan without steps', () => {
  const empty: Plan = { ...rolledPlan([]), planId: '' };

  it('names the config', () => {
    expect(planText(empty, false)).toBe('No changes. The cluster matches oxherd.yaml.');
    expect(planText(empty, false, { config: 'dev.yaml' })).toBe('No changes. The cluster matches dev.yaml.');
  });

  it('points at drift that stays', () => {
    const notes = [{ code: 'drift', message: 'VM 141 has unmanaged option vga=std' } as const];
    expect(planText({ ...empty, notes }, false)).toMatch(
      /No changes\. Drift left in place is listed under notes\.$/,
    );
  });

  it('says a problem of several nodes once', () => {
    const problems = ['a-1', 'a-2', 'a-3'].map((node) => {
      return { code: 'x', scope: 'plan', node, message: `${node} runs {v1}`, advice: `fix ${node}` } as const;
    });
    expect(planText({ ...empty, problems }, false)).toBe(
      'problems\n  ✗ a-1 … a-3 (3 nodes): each node runs {v1}\n      fix each node\n\nCannot apply: 3 problems to solve first.',
    );
    expect(planText({ ...empty, problems }, false, { full: true })).toContain('✗ a-2 runs {v1}');
  });
});
