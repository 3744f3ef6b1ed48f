import { describe, expect, it } from 'vitest';
import type { Vmid } from '../../model/identity.js';
import { StepList } from '../step-list.js';
import { rollOrderOf } from './roll-order.js';

const common = { title: '', impact: 'none', ip: '', role: 'worker', vmid: 1 as Vmid } as const;

function disruption(list: StepList, node: string, after: readonly string[]): void {
  const begin = list.add(node, {
    ...common,
    kind: 'begin-disruption',
    node,
    needs: after.map((name) => `end-disruption:${name}`),
    controlPlanes: [],
    outage: false,
    others: [],
    maxAway: 1,
    gates: [],
  });
  list.add(node, { ...common, kind: 'end-disruption', node, needs: [begin] });
}

describe('the order in which nodes go', () => {
  it('follows what they wait for, not where they stand', () => {
    const list = new StepList();
    disruption(list, 'cp-1', ['cp-2']);
    disruption(list, 'cp-2', []);
    disruption(list, 'work-1', ['cp-1']);
    disruption(list, 'work-2', ['cp-1']);
    expect(rollOrderOf(list.steps)).toEqual([['cp-2'], ['cp-1'], ['work-1', 'work-2']]);
  });

  it('is empty where no one goes', () => {
    expect(rollOrderOf([])).toEqual([]);
  });

  it('does not count a node that is only let return', () => {
    const list = new StepList();
    list.add('work-1', { ...common, kind: 'end-disruption', node: 'work-1' });
    disruption(list, 'cp-1', ['work-1']);
    expect(rollOrderOf(list.steps)).toEqual([['cp-1']]);
  });
});
