import { describe, expect, it } from 'vitest';
import { config, gib, nodeConfig, vmOptions } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import type { VmOptions } from '../../config/config.js';
import { design } from '../../design/design-cluster.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';

const of = (vm: Partial<VmOptions> = {}) =>
  config({
    nodes: [
      nodeConfig('cp-1', 141, 'controlplane'),
      nodeConfig('work-1', 151, 'worker', { vm: vmOptions(vm) }),
    ],
  });

function planned(change: Partial<VmOptions>, edit: (vm: ObservedVm) => ObservedVm = (vm) => vm) {
  const built = builtProxmox(of());
  const vm = visibleVm(built, 151);
  const observed: Observed = vm ? { ...built, vms: withVms(built.vms, [edit(vm)]) } : built;
  const wanted = of(change);
  return planCluster(design(wanted), observed, { policy: wanted.policy });
}

describe('the VM of a node', () => {
  it('with more memory is written first, then restarted', () => {
    const { steps } = planned({ memory: gib(24) });
    expect(steps.map(({ id }) => id)).toEqual(['set-options:151', 'restart-vm:151']);
    expect(steps[0]).toMatchObject({ impact: 'live', changes: { memory: { to: String(24 * 1024) } } });
    expect(steps[1]).toMatchObject({ impact: 'restart', asked: false });
    expect(steps[1]?.needs).toContain('set-options:151');
  });

  it('with another description is changed live', () => {
    const { steps } = planned({ description: 'the first' });
    expect(steps.every(({ impact }) => impact === 'live' || impact === 'none')).toBe(true);
    expect(steps.map(({ kind }) => kind)).toEqual(['set-options']);
  });

  it('with a pending change is restarted', () => {
    const { steps } = planned({}, (vm) => ({
      ...vm,
      config: vm.config.known
        ? { known: true, value: { ...vm.config.value, pending: { cpu: 'host' } } }
        : vm.config,
    }));
    expect(steps.map(({ kind }) => kind)).toContain('set-options');
  });

  it('that is locked is a problem with the command to clear it', () => {
    const { problems, steps } = planned({ memory: gib(24) }, (vm) => ({
      ...vm,
      config: vm.config.known
        ? {
            known: true,
            value: { ...vm.config.value, values: { ...vm.config.value.values, lock: 'backup' } },
          }
        : vm.config,
    }));
    expect(steps).toEqual([]);
    expect(problems).toMatchObject([{ node: 'work-1', advice: expect.stringContaining('qm unlock 151') }]);
  });

  it('with other options and a new system disk keeps its options until the old disk is gone', () => {
    const wanted = of({ memory: gib(24) });
    const { steps } = planCluster(design(wanted), builtProxmox(of()), {
      policy: wanted.policy,
      replace: ['work-1'],
    });
    const step = (kind: string) => steps.find((one) => one.kind === kind);
    expect(step('set-options')?.needs).toContain('replace-os-disk:151');
    expect(step('start-vm')?.needs).toEqual(
      expect.arrayContaining(['set-options:151', 'replace-os-disk:151']),
    );
  });
});
