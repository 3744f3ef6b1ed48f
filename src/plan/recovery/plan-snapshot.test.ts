import { describe, expect, it } from 'vitest';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { StepList } from '../step-list.js';
import { planSnapshot } from './plan-snapshot.js';

const plane = (name: string, vmid: number, ip: string) => ({
  name,
  ip,
  role: 'controlplane',
  talosVm: { vmid },
});

const vm = (vmid: number, name: string, ip: string, ...tags: string[]) => ({
  vmid,
  name,
  tags,
  config: { known: true as const, value: { digest: '', values: { ipconfig0: `ip=${ip}/24` }, pending: {} } },
});

/** `name ip` of each control plane that is asked for it. */
function asked(nodes: readonly unknown[], vms: readonly ReturnType<typeof vm>[], machines = {}): string[] {
  const list = new StepList();
  planSnapshot({
    list,
    design: { nodes } as unknown as Design,
    observed: { machines, vms: partVms(...vms) } as unknown as Observed,
  });
  const [step] = list.steps;
  return step?.kind === 'take-snapshot' ? step.controlPlanes.map(({ name, ip }) => `${name} ${ip}`) : [];
}

describe('a snapshot of etcd', () => {
  it('is asked of a control plane that leaves as well: the one that replaces it may not vote yet', () => {
    const there = [
      vm(141, 'cp-1', '10.0.0.41', 'control-plane'),
      vm(1410, 'cp-1-data', '10.0.0.41'),
      vm(151, 'work-1', '10.0.0.51', 'worker'),
    ];
    expect(asked([plane('cp-9', 149, '10.0.0.49')], there)).toEqual(['cp-9 10.0.0.49', 'cp-1 10.0.0.41']);
  });

  it('is asked of a node where it answers now and where it will', () => {
    const machines = { 'cp-1': { presence: 'configured', address: '10.0.0.41' } };
    expect(
      asked([plane('cp-1', 141, '10.0.0.44')], [vm(141, 'cp-1', '10.0.0.41', 'control-plane')], machines),
    ).toEqual(['cp-1 10.0.0.41', 'cp-1 10.0.0.44']);
  });
});
