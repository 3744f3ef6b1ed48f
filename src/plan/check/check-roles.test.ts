import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { roleProblems } from './check-roles.js';

function problems(role: 'controlplane' | 'worker', seen: { tags?: string[]; type?: string }) {
  const design = partOf<Design>({
    nodes: [{ name: 'n', role, talosVm: { vmid: 151 }, dataVm: { vmid: 1510 } }],
  });
  const redacted = JSON.stringify([{ machine: { type: seen.type } }], null, 2);
  const observed = partOf<Observed>({
    vms: partVms({ vmid: 151, tags: seen.tags ?? [] }),
    machines: seen.type
      ? { n: { details: { known: true, value: { config: { known: true, value: { hash: '', redacted } } } } } }
      : {},
  });
  return roleProblems(design, observed).map(({ code, scope }) => `${code} ${scope}`);
}

describe('the role of a node', () => {
  it('that changes is refused, as its machine was told or as its tags say', () => {
    expect(problems('worker', { type: 'controlplane' })).toEqual(['role-change plan']);
    expect(problems('controlplane', { tags: ['k8s', 'worker'] })).toEqual(['role-change plan']);
  });

  it('that stays, or that nothing tells, is no problem', () => {
    expect(problems('worker', { type: 'worker', tags: ['control-plane'] })).toEqual([]);
    expect(problems('worker', { tags: ['worker', 'control-plane'] })).toEqual([]);
    expect(problems('worker', {})).toEqual([]);
  });
});
