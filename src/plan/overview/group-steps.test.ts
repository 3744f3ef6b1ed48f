import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodesOf, type RolledNode, rolledSteps } from '../../../test/support/plan/rolled-plan.js';
import type { Step } from '../steps.js';
import { expandBlocks, groupSteps, singleBlocks } from './group-steps.js';
import { fillIn } from './node-text.js';

const headings = (steps: readonly Step[]) =>
  groupSteps(steps).map((block) => (block.kind === 'nodes' ? block.nodes : block.kind));

describe('blocks of a plan', () => {
  it('take nodes with the same changes together', () => {
    const nodes = nodesOf(3, 50);
    expect(headings(rolledSteps(nodes, []))).toEqual([nodes.map(({ name }) => name)]);
  });

  it('keep a node apart that changes otherwise', () => {
    const [first, second, third] = nodesOf(0, 3) as [RolledNode, RolledNode, RolledNode];
    const steps = rolledSteps([first, { ...second, memory: [8192, 6144] }, third], []);
    expect(headings(steps)).toEqual([['work-1', 'work-3'], ['work-2']]);
  });

  it('are apart where only drift differs', () => {
    const steps = rolledSteps(nodesOf(0, 2), []).map(
      (step): Step =>
        step.node === 'work-2' && step.kind === 'set-options'
          ? { ...step, drift: step.reasons.map((reason) => ({ reason, by: 'hand' })) }
          : step,
    );
    expect(headings(steps)).toEqual([['work-1'], ['work-2']]);
  });

  it('have the Kubernetes upgrade in one', () => {
    const steps = rolledSteps(nodesOf(1, 2), ['v1.35.2', 'v1.36.1']);
    expect(headings(steps).at(-1)).toBe('kubernetes');
    const block = groupSteps(steps).at(-1);
    expect(new Set(block?.kind === 'kubernetes' ? block.steps.map(({ kind }) => kind) : [])).toEqual(
      new Set(['pull-images', 'upgrade-component', 'sync-manifests']),
    );
  });

  it('leave manifests that no upgrade brings with the cluster', () => {
    const steps = rolledSteps(nodesOf(1, 0), ['v1.35.2', 'v1.36.1']).filter(
      ({ kind }) => kind === 'sync-manifests',
    );
    expect(headings(steps)).toEqual(['cluster']);
  });

  const memory = fc.constantFrom(2048, 4096, 6144);
  const node = fc
    .tuple(fc.nat(20), fc.constantFrom('controlplane' as const, 'worker' as const), memory, memory)
    .map(
      ([number, role, from, to]): RolledNode => ({
        name: `n-${number}`,
        vmid: 100 + number,
        role,
        memory: [from, to],
      }),
    );
  const plans = fc
    .tuple(fc.uniqueArray(node, { maxLength: 12, selector: ({ name }) => name }), fc.boolean())
    .map(([nodes, upgraded]) => rolledSteps(nodes, upgraded ? ['v1.35.2', 'v1.36.1', 'v1.37.0'] : []));

  it('expand to exactly the steps, those of each node in their order', () => {
    fc.assert(
      fc.property(plans, (steps) => {
        for (const blocks of [groupSteps(steps), singleBlocks(steps)]) {
          const expanded = expandBlocks(blocks);
          expect(new Set(expanded)).toEqual(new Set(steps));
          expect(expanded).toHaveLength(steps.length);
        }
        for (const block of groupSteps(steps))
          if (block.kind === 'nodes')
            for (const name of block.nodes)
              expect(expandBlocks([block]).filter((step) => step.node === name)).toEqual(
                steps.filter(
                  (step) => step.node === name && !/^(pull-images|upgrade-component)$/.test(step.kind),
                ),
              );
      }),
      { numRuns: 50 },
    );
  });

  it('hide nothing: every text comes back from its template', () => {
    fc.assert(
      fc.property(plans, (steps) => {
        for (const block of groupSteps(steps)) {
          if (block.kind !== 'nodes') continue;
          for (const shared of block.steps)
            for (const [index, step] of shared.members.entries()) {
              const values = block.values[index] ?? {};
              expect(step.node).toBe(block.nodes[index]);
              expect(fillIn(shared.title, values)).toBe(step.title);
              expect(shared.reasons.map((reason) => fillIn(reason, values))).toEqual(step.reasons);
            }
        }
      }),
      { numRuns: 50 },
    );
  });
});
