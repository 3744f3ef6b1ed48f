import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepList } from './step-list.js';

/** Step n waits for the steps that the n-th list names. */
function listOf(needs: readonly (readonly number[])[]): StepList {
  const list = new StepList();
  for (const [index, others] of needs.entries()) {
    const ids = others.map((other) => `await-api:${other}`);
    list.add(String(index), { kind: 'await-api', title: '', impact: 'none', needs: ids });
  }
  return list;
}

const idsIn = (list: StepList) => list.steps.map((step) => step.id);

describe('a list sorted by needs', () => {
  it('has every step after those it waits for, and none lost', () => {
    const graphs = fc
      .integer({ min: 1, max: 12 })
      .chain((size) =>
        fc.tuple(
          fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
          fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
        ),
      );
    fc.assert(
      fc.property(graphs, ([edges, rank]) => {
        // Only towards a lower rank, so that nothing waits for itself.
        const needs = edges.map((others, index) =>
          others.filter((other) => (rank[other] ?? 0) < (rank[index] ?? 0)),
        );
        const list = listOf(needs);
        const before = idsIn(list);
        list.sortByNeeds();
        const after = idsIn(list);
        expect([...after].sort()).toEqual([...before].sort());
        for (const step of list.steps)
          for (const need of step.needs) expect(after.indexOf(need)).toBeLessThan(after.indexOf(step.id));
      }),
    );
  });

  it('stays as it is where it was right', () => {
    const list = listOf([[], [0], [], [1, 2]]);
    const before = idsIn(list);
    list.sortByNeeds();
    expect(idsIn(list)).toEqual(before);
  });

  it('stays as it is where steps wait for each other: the check of the plan says which', () => {
    const list = listOf([[1], [0], []]);
    list.sortByNeeds();
    expect(idsIn(list)).toEqual(['await-api:0', 'await-api:1', 'await-api:2']);
  });
});
