import { describe, expect, it } from 'vitest';
import type { Vmid } from '../model/identity.js';
import { driftOnly } from './drift.js';
import type { Plan } from './plan.js';
import { StepList } from './step-list.js';

const VMID = 151 as Vmid;

function planOf(list: StepList): Plan {
  return {
    format: 1,
    cluster: { name: 'small', env: '' },
    action: 'apply',
    fingerprint: '',
    steps: list.steps,
    problems: [],
    notes: [{ code: 'drift', message: 'work-1 is on pve2' }],
  };
}

function driftIds(list: StepList): string[] {
  return driftOnly(planOf(list)).steps.map((step) => step.id);
}

const set = (list: StepList, node: string, needs: readonly string[] = []) =>
  list.add(node, {
    kind: 'set-options',
    node,
    title: '',
    impact: 'none',
    needs,
    vmid: VMID,
    host: 'pve1',
    changes: {},
  });
const pool = (list: StepList) =>
  list.add('small', { kind: 'create-pool', title: '', impact: 'none', pool: 'small', comment: '' });
const start = (list: StepList, node: string, needs: readonly string[]) =>
  list.add(node, { kind: 'start-vm', node, title: '', impact: 'none', needs, vmid: VMID, host: 'pve1' });
const dataVm = (list: StepList, node: string) =>
  list.add(node, {
    kind: 'create-data-vm',
    node,
    title: '',
    impact: 'none',
    vmid: VMID,
    host: 'pve1',
    options: {},
    auxiliary: {},
    drives: [],
  });

describe('drift', () => {
  it('is what changes on things that are there, with everything that follows from it', () => {
    const list = new StepList();
    const changed = set(list, 'work-1');
    const started = start(list, 'work-1', [changed]);
    expect(driftIds(list)).toEqual([changed, started]);
  });

  it('is not what is made, nor what waits for it, however far', () => {
    const list = new StepList();
    const made = dataVm(list, 'work-1');
    const changed = set(list, 'work-1', [made]);
    start(list, 'work-1', [changed]);
    expect(driftIds(list)).toEqual([]);
  });

  it('is not hidden by another node that is made first, but by a cluster-wide thing that is', () => {
    const list = new StepList();
    const made = dataVm(list, 'work-1');
    const other = set(list, 'work-2', [made]);
    const shared = pool(list);
    set(list, 'work-3', [shared]);
    expect(driftIds(list)).toEqual([other]);
  });

  it('keeps notes and problems', () => {
    expect(driftOnly(planOf(new StepList())).notes).toHaveLength(1);
  });
});
