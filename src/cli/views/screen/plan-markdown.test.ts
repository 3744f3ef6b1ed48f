import { describe, expect, it } from 'vitest';
import { nodesOf, rolledPlan } from '../../../../test/support/plan/rolled-plan.js';
import type { Plan } from '../../../plan/plan.js';
import { planMarkdown } from './plan-markdown.js';

const CLUSTER = { cluster: 'homelab (dev)', full: false };

describe('a plan as markdown', () => {
  const plan = rolledPlan(nodesOf(1, 2));

  it('has a block to open for each group of nodes, and for each node with --full', () => {
    const text = planMarkdown(plan, CLUSTER);
    expect(text.split('\n')[0]).toBe('### oxherd plan: `homelab (dev)`');
    expect(text).toContain('<details><summary>cp-1, work-1, work-2 (3 nodes)</summary>');
    const full = planMarkdown(plan, { ...CLUSTER, full: true });
    for (const node of ['cp-1', 'work-1', 'work-2']) expect(full).toContain(`<summary>${node}</summary>`);
    for (const step of plan.steps) expect(full).toContain(step.title);
    expect(text.trimEnd().split('\n').at(-1)).toBe(`Plan id: \`${plan.planId}\``);
  });

  it('cannot be broken out of by what a name or message holds', () => {
    const [step, ...rest] = plan.steps;
    const bad = { ...step, title: 'a ```` b </details> <script>' } as Plan['steps'][number];
    const text = planMarkdown({ ...plan, steps: [bad, ...rest] }, CLUSTER);
    expect(text).toContain('`````text');
    const outside = text.replace(/(`{3,})text\n[\s\S]*?\n\1\n/g, '');
    expect(outside).not.toContain('<script>');
  });

  it('says that there is nothing to do', () => {
    const text = planMarkdown({ ...rolledPlan([]), planId: '' }, CLUSTER);
    expect(text).toContain('No changes.');
    expect(text).not.toContain('details');
  });
});
