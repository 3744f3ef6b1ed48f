import { describe, expect, it } from 'vitest';
import { parseVmid, type Vmid } from '../../model/identity.js';
import type { Note, Problem } from '../plan.js';
import { StepList } from '../step-list.js';
import { planOutage } from './outage.js';

function planned(controlPlanes: number, policy: 'allow' | 'ask' | 'refuse') {
  const list = new StepList();
  const planes = Array.from({ length: controlPlanes }, (_, index) => ({
    name: `cp-${index + 1}`,
    ip: `10.0.0.${index + 1}`,
  }));
  for (const { name, ip } of planes) {
    list.add(name, {
      kind: 'begin-disruption',
      node: name,
      title: '',
      impact: 'none',
      ip,
      role: 'controlplane',
      vmid: parseVmid(141) as Vmid,
      controlPlanes: planes,
      outage: controlPlanes <= 2,
      others: planes.map((plane) => plane.name).filter((other) => other !== name),
      maxAway: 1,
      gates: [],
    });
  }
  const notes: Note[] = [];
  const problems: Problem[] = [];
  planOutage({ list, notes, problems }, policy);
  return { notes: notes.map((note) => note.message), problems: problems.map((problem) => problem.message) };
}

describe('an outage of the API', () => {
  it.each(['allow', 'ask'] as const)('is announced where it is %sed', (policy) => {
    expect(planned(1, policy)).toEqual({
      notes: [
        'with 1 control plane the Kubernetes API is unavailable while cp-1 is changed; an etcd snapshot is taken before',
      ],
      problems: [],
    });
    expect(planned(2, policy).notes).toEqual([
      'with 2 control planes the Kubernetes API is unavailable while each of cp-1, cp-2 is changed; pods on other nodes keep running; an etcd snapshot is taken before',
    ]);
  });

  it('is refused where oxherd.yaml says so', () => {
    expect(planned(2, 'refuse')).toEqual({
      notes: [],
      problems: [
        'with 2 control planes the Kubernetes API is unavailable while each of cp-1, cp-2 is changed, and policy.outage is refuse',
      ],
    });
  });

  it('is none with three control planes', () => {
    expect(planned(3, 'refuse')).toEqual({ notes: [], problems: [] });
  });
});
