/** A Kubernetes upgrade as its path and, for each version, which components change on which nodes. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { compareVersions, parseVersion } from '../../model/version.js';
import type { KubernetesUpgradeStep } from './group-steps.js';

export interface UpgradeStage {
  readonly what: 'images' | 'manifests' | readonly (keyof ComponentVersions)[];
  /** Absent for images, which are pulled for all versions at once. */
  readonly to?: string;
  readonly nodes: readonly string[];
  readonly steps: readonly KubernetesUpgradeStep[];
}

/** `[v1.35.2, v1.36.1, v1.37.0]`; without the first where the rest of an upgrade does not show where it began. */
export function upgradePath(steps: readonly KubernetesUpgradeStep[]): string[] {
  const upgrades = steps.filter((step) => step.kind === 'upgrade-component');
  const hops = sorted(upgrades.map((step) => step.to));
  const [start] = sorted(upgrades.flatMap((step) => Object.values(step.components)));
  return start !== undefined && start !== hops[0] ? [start, ...hops] : hops;
}

/** In the order in which they are carried out; components that change on the same nodes are one stage. */
export function upgradeStages(steps: readonly KubernetesUpgradeStep[]): UpgradeStage[] {
  const pulls = steps.filter((step) => step.kind === 'pull-images');
  const stages: UpgradeStage[] = pulls.length > 0 ? [stage('images', pulls)] : [];
  let to: string | undefined;
  let run: KubernetesUpgradeStep[] = [];
  const close = () => {
    if (run.length > 0) stages.push(...componentStages(run, to));
    run = [];
  };
  for (const step of steps) {
    if (step.kind === 'upgrade-component') {
      if (step.to !== to) close();
      to = step.to;
      run.push(step);
    } else if (step.kind === 'sync-manifests') {
      close();
      stages.push(stage('manifests', [step], to));
    }
  }
  close();
  return stages;
}

function componentStages(steps: readonly KubernetesUpgradeStep[], to: string | undefined): UpgradeStage[] {
  const byComponent = new Map<keyof ComponentVersions, KubernetesUpgradeStep[]>();
  for (const step of steps)
    if (step.kind === 'upgrade-component')
      byComponent.set(step.component, [...(byComponent.get(step.component) ?? []), step]);
  const stages: UpgradeStage[] = [];
  for (const [component, own] of byComponent) {
    const next = stage([component], own, to);
    const last = stages.at(-1);
    if (last && Array.isArray(last.what) && last.nodes.join() === next.nodes.join())
      stages[stages.length - 1] = {
        ...last,
        what: [...last.what, component],
        steps: [...last.steps, ...own],
      };
    else stages.push(next);
  }
  return stages;
}

function stage(
  what: UpgradeStage['what'],
  steps: readonly KubernetesUpgradeStep[],
  to?: string,
): UpgradeStage {
  const nodes = steps.flatMap((step) => (step.node === undefined ? [] : [step.node]));
  return { what, nodes, steps, ...(to !== undefined && { to }) };
}

function sorted(versions: readonly string[]): string[] {
  return [...new Set(versions)].sort((a, b) => {
    const [first, second] = [parseVersion(a), parseVersion(b)];
    return first && second ? compareVersions(first, second) : a.localeCompare(b);
  });
}
