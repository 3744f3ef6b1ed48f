import { describe, expect, it } from 'vitest';
import type { PlanContext } from '../input.js';
import { configVersionProblems } from './check-config-versions.js';

const MAIN = { version: 'v1alpha1', machine: { type: 'worker' } };
const SYSCTL = { apiVersion: 'v1alpha1', kind: 'SysctlConfig', params: { 'vm.swappiness': '10' } };
const SECURE = { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'EPHEMERAL', mount: { secure: true } };

interface Case {
  readonly config: readonly object[];
  readonly runs: string;
  readonly wanted: string;
  readonly steps: readonly (readonly [kind: string, ...needs: string[]])[];
}

function problems({ config, runs, wanted, steps }: Case) {
  const kinds = config.map((one) => ('kind' in one ? String(one.kind) : 'v1alpha1'));
  const desired = { hash: 'h', kinds, redacted: JSON.stringify(config), wwids: [] };
  const context = {
    design: { nodes: [{ name: 'work-1', talosVersion: wanted }] },
    observed: { machines: { 'work-1': { details: { known: true, value: { talosVersion: runs } } } } },
    machines: { configs: { 'work-1': desired }, configWith: () => desired },
    list: {
      steps: steps.map(([kind, ...needs]) => ({
        id: `${kind}:work-1`,
        kind,
        node: 'work-1',
        needs: needs.map((need) => `${need}:work-1`),
      })),
    },
  } as unknown as PlanContext;
  return configVersionProblems(context).map(({ message }) => message);
}

describe('the config of each hop', () => {
  const hop = { runs: 'v1.13.9', wanted: 'v1.14.1' };

  it('is known to the Talos that receives it after the upgrade', () => {
    const steps = [['upgrade-talos'], ['change-config', 'upgrade-talos']] as const;
    expect(problems({ ...hop, config: [MAIN, SYSCTL], steps })).toEqual([]);
  });

  it.each([
    ['a document', [MAIN, SYSCTL], 'v1.13.9', 'SysctlConfig'],
    ['a key', [MAIN, SECURE], 'v1.12.4', 'VolumeConfig.mount'],
  ] as const)('is refused with %s that the running Talos does not know', (_, config, runs, part) => {
    const message = `work-1 gets its config while it runs Talos ${runs}, which knows no ${part}`;
    const early = [['change-config'], ['upgrade-talos', 'change-config']] as const;
    expect(problems({ config, runs, wanted: 'v1.14.1', steps: early })).toEqual([message]);
    // Nothing upgrades it: a machine that was left behind.
    expect(problems({ config, runs, wanted: 'v1.14.1', steps: [['change-config']] })).toEqual([message]);
    expect(problems({ config, runs, wanted: runs, steps: [['upgrade-component']] })).toEqual([message]);
  });

  it('comes to a new system disk with the Talos of oxherd.yaml', () => {
    expect(problems({ ...hop, config: [MAIN, SYSCTL], steps: [['configure-machine']] })).toEqual([]);
    const old = { runs: 'v1.13.9', wanted: 'v1.13.9' };
    expect(problems({ ...old, config: [MAIN, SYSCTL], steps: [['configure-machine']] })).toEqual([
      'work-1 gets its config while it runs Talos v1.13.9, which knows no SysctlConfig',
    ]);
  });
});
