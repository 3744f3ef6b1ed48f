import { describe, expect, it } from 'vitest';
import { nodesOf, rolledPlan } from '../../../test/support/plan/rolled-plan.js';
import { estimatedDowntime } from '../roll/estimated-downtime.js';
import type { Step } from '../steps.js';
import { totalsOf } from './totals.js';

describe('what a plan does in numbers', () => {
  it('counts nodes, not steps', () => {
    const totals = totalsOf(rolledPlan(nodesOf(3, 2), ['v1.35.2', 'v1.36.1']));
    expect(totals.changed).toHaveLength(5);
    expect(totals.restarted).toHaveLength(5);
    expect(totals).toMatchObject({ createdVms: 0, removedVms: 0, reset: [], clusterSteps: 1 });
  });

  it('does not count a node as changed that goes', () => {
    const plan = rolledPlan(nodesOf(0, 2));
    const steps = plan.steps.map(
      (step): Step => (step.node === 'work-2' ? { ...step, impact: 'remove' } : step),
    );
    expect(totalsOf({ steps }).changed).toEqual(['work-1']);
  });

  it('adds the downtime of nodes that follow each other', () => {
    const { steps } = rolledPlan(nodesOf(0, 3));
    const one = estimatedDowntime(steps, 'work-1');
    expect(one?.most).toBeGreaterThan(0);
    expect(totalsOf({ steps }).downtime.total.most).toBe(3 * (one?.most ?? 0));
  });

  it('takes the longest of nodes that go together', () => {
    const { steps } = rolledPlan(nodesOf(0, 3));
    const together = steps.map((step): Step => {
      return step.kind === 'begin-disruption' ? { ...step, needs: [] } : step;
    });
    const { downtime } = totalsOf({ steps: together });
    expect(downtime.waves).toEqual([['work-1', 'work-2', 'work-3']]);
    expect(downtime.total).toEqual(estimatedDowntime(together, 'work-1'));
  });

  it('names control planes without which there is no API', () => {
    expect(totalsOf(rolledPlan(nodesOf(1, 1))).downtime.apiUnavailable).toEqual(['cp-1']);
    expect(totalsOf(rolledPlan(nodesOf(3, 1))).downtime.apiUnavailable).toEqual([]);
  });
});
