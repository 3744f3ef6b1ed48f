import { describe, expect, it } from 'vitest';
import { nodesOf, rolledSteps } from '../../../test/support/plan/rolled-plan.js';
import { groupSteps, type KubernetesUpgradeStep } from './group-steps.js';
import { upgradePath, upgradeStages } from './kubernetes-upgrade.js';

function upgrade(path: readonly string[], only: (step: KubernetesUpgradeStep) => boolean = () => true) {
  const block = groupSteps(rolledSteps(nodesOf(3, 2), path)).at(-1);
  return block?.kind === 'kubernetes' ? block.steps.filter(only) : [];
}

describe('a Kubernetes upgrade', () => {
  it('has its path from what runs to the goal', () => {
    expect(upgradePath(upgrade(['v1.9.2', 'v1.10.1', 'v1.11.0']))).toEqual(['v1.9.2', 'v1.10.1', 'v1.11.0']);
  });

  it('has its stages in order, components of the same nodes together', () => {
    expect(
      upgradeStages(upgrade(['v1.35.2', 'v1.36.1', 'v1.37.0'])).map(({ what, to, nodes }) => [
        what,
        to,
        nodes.length,
      ]),
    ).toEqual([
      ['images', undefined, 5],
      [['apiServer', 'controllerManager', 'scheduler', 'proxy'], 'v1.36.1', 3],
      [['kubelet'], 'v1.36.1', 5],
      ['manifests', 'v1.36.1', 0],
      [['apiServer', 'controllerManager', 'scheduler', 'proxy'], 'v1.37.0', 3],
      [['kubelet'], 'v1.37.0', 5],
      ['manifests', 'v1.37.0', 0],
    ]);
  });

  it('that was cut off shows what is left', () => {
    const left = upgrade(
      ['v1.35.2', 'v1.36.1'],
      (step) => step.kind === 'upgrade-component' && step.component === 'kubelet' && step.node === 'work-2',
    );
    expect(upgradeStages(left).map(({ what, nodes }) => [what, nodes])).toEqual([[['kubelet'], ['work-2']]]);
    expect(upgradePath(left)).toEqual(['v1.35.2', 'v1.36.1']);
  });

  it('has every step in one stage', () => {
    const steps = upgrade(['v1.35.2', 'v1.36.1', 'v1.37.0']);
    const staged = upgradeStages(steps).flatMap((stage) => stage.steps);
    expect(staged).toHaveLength(steps.length);
    expect(new Set(staged)).toEqual(new Set(steps));
  });
});
