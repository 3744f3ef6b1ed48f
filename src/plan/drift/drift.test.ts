import { describe, expect, it } from 'vitest';
import type { Vmid } from '../../model/identity.js';
import type { Note, Plan } from '../plan.js';
import type { Drift } from '../step-base.js';
import { StepList } from '../step-list.js';
import { driftOnly, hasDrift } from './drift.js';

const VMID = 151 as Vmid;

function planOf(list: StepList, notes: readonly Note[] = []): Plan {
  return {
    format: 2,
    planId: '',
    desired: '',
    cluster: { name: 'small', env: '' },
    action: 'apply',
    steps: list.steps,
    problems: [],
    incomplete: [],
    notes,
  };
}

function driftIds(list: StepList): string[] {
  return driftOnly(planOf(list)).steps.map((step) => step.id);
}

const CORES: Drift = { reason: 'cores 7 → 2', by: 'hand' };
const vm = { vmid: VMID, host: 'pve1', title: '' } as const;

const set = (list: StepList, node: string, drift: readonly Drift[]) =>
  list.add(node, {
    ...vm,
    kind: 'set-options',
    node,
    reasons: ['cores 7 → 2', 'memory 1MiB → 2MiB'],
    ...(drift.length > 0 && { drift }),
    impact: 'live',
    changes: {},
  });
const start = (list: StepList, node: string, needs: readonly string[]) =>
  list.add(node, { ...vm, kind: 'start-vm', node, impact: 'none', needs });
const restart = (list: StepList, node: string, needs: readonly string[], drift: readonly Drift[]) =>
  list.add(node, {
    ...vm,
    kind: 'restart-vm',
    node,
    impact: 'restart',
    needs,
    asked: false,
    reasons: [CORES.reason],
    ...(drift.length > 0 && { drift }),
  });
const around = (list: StepList, node: string) =>
  list.add(node, {
    kind: 'begin-disruption',
    node,
    title: '',
    impact: 'none',
    vmid: VMID,
    outage: false,
    ip: '10.0.0.1',
    role: 'worker',
    controlPlanes: [],
    others: [],
    maxAway: 1,
    gates: [],
  });

describe('drift', () => {
  it('is what someone else changed, without the reasons that are changes of oxherd.yaml', () => {
    const list = new StepList();
    const changed = set(list, 'work-1', [CORES]);
    set(list, 'work-2', []);
    expect(driftIds(list)).toEqual([changed]);
    expect(driftOnly(planOf(list)).steps[0]?.reasons).toEqual([CORES.reason]);
  });

  it('takes along what follows on the same node', () => {
    const list = new StepList();
    const changed = set(list, 'work-1', [CORES]);
    const started = start(list, 'work-1', [changed]);
    start(list, 'work-2', [changed]);
    expect(driftIds(list)).toEqual([changed, started]);
  });

  it('shows how a node goes away for it, and not how one goes away for the file', () => {
    const list = new StepList();
    const around1 = around(list, 'work-1');
    const again = restart(list, 'work-1', [], [CORES]);
    const around2 = around(list, 'work-2');
    restart(list, 'work-2', [], []);
    expect(driftIds(list)).toEqual([around1, again]);
    expect(driftIds(list)).not.toContain(around2);
  });

  it('keeps problems, what stays as someone made it and what could not be read', () => {
    const notes = (['drift', 'unknown', 'parked', 'advice'] as const).map((code) => ({
      code,
      message: code,
    }));
    const only = driftOnly(planOf(new StepList(), notes));
    expect(only.notes.map(({ code }) => code)).toEqual(['drift', 'unknown']);
  });

  it('is there when something is set right, or stays', () => {
    const list = new StepList();
    set(list, 'work-2', []);
    expect(hasDrift(planOf(list))).toBe(false);
    expect(hasDrift(planOf(list, [{ code: 'drift', message: '' }]))).toBe(true);
    set(list, 'work-1', [CORES]);
    expect(hasDrift(planOf(list))).toBe(true);
  });
});
