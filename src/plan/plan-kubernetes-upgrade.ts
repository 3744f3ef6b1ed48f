/**
 * Kubernetes in the order of `talosctl upgrade-k8s`: every API server, every controller manager, every scheduler, the
 * proxy, then the kubelets, one machine at a time and one minor version at a time. Where a run was cut off the next
 * plan goes on: it starts from what the machines' configs say.
 */
import type { NodeDesign } from '../design/design.js';
import type { ComponentVersions } from '../design/machine-config/context.js';
import { kubernetesRelease } from '../model/releases.js';
import { compareVersions, formatVersion, parseVersion, type Version } from '../model/version.js';
import type { ObservedMachine } from '../observe/observed-machines.js';
import type { DesiredMachines, PlanContext } from './input.js';

const ORDER = ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'kubelet'] as const;

const IMAGES: Record<keyof ComponentVersions, RegExp> = {
  apiServer: /\/kube-apiserver:(v[\w.-]+)/,
  controllerManager: /\/kube-controller-manager:(v[\w.-]+)/,
  scheduler: /\/kube-scheduler:(v[\w.-]+)/,
  proxy: /\/kube-proxy:(v[\w.-]+)/,
  kubelet: /\/kubelet:(v[\w.-]+)/,
};

const TITLES: Record<keyof ComponentVersions, string> = {
  apiServer: 'API server',
  controllerManager: 'controller manager',
  scheduler: 'scheduler',
  proxy: 'kube-proxy',
  kubelet: 'kubelet',
};

/** What a machine's config says it runs; `undefined`: all of it is at the wanted version already, or it is not known. */
export function runningComponents(machine: ObservedMachine, wanted: string): ComponentVersions | undefined {
  const config = machine.details.known ? machine.details.value.config : undefined;
  if (!config?.known) return undefined;
  const { masked } = config.value;
  const at = (component: keyof ComponentVersions) => IMAGES[component].exec(masked)?.[1] ?? wanted;
  const running: ComponentVersions = {
    apiServer: at('apiServer'),
    controllerManager: at('controllerManager'),
    scheduler: at('scheduler'),
    proxy: at('proxy'),
    kubelet: at('kubelet'),
  };
  return Object.values(running).every((version) => version === wanted) ? undefined : running;
}

export function planKubernetesUpgrade(
  context: PlanContext,
  nodes: readonly NodeDesign[],
  machines: DesiredMachines,
): void {
  const { observed, problems } = context;
  const goal = parseVersion(machines.kubernetes);
  const outdated = nodes.flatMap((node) => {
    const machine = observed.machines[node.name];
    const running = machine && runningComponents(machine, machines.kubernetes);
    return running ? [{ node, running }] : [];
  });
  if (!goal || outdated.length === 0) return;
  const versions = outdated.flatMap(({ running }) =>
    Object.values(running).flatMap((text) => parseVersion(text) ?? []),
  );
  const lowest = [...versions].sort(compareVersions)[0] ?? goal;
  const higher = versions.find((version) => version.minor > goal.minor);
  if (higher) {
    problems.push({
      code: 'kubernetes-downgrade',
      scope: 'plan',
      message: `the cluster runs Kubernetes ${formatVersion(higher)}; going back to ${machines.kubernetes} is not supported`,
      advice: `write ${formatVersion(higher)} into the file`,
    });
    return;
  }
  const current = new Map(outdated.map(({ node, running }) => [node.name, running]));
  let previous: string | undefined;
  for (const hop of hopsBetween(lowest, goal)) {
    for (const component of ORDER) {
      for (const { node } of outdated) {
        const step = upgradeOne(context, machines, node, component, hop, current, previous);
        if (step !== undefined) previous = step;
      }
    }
  }
}

/** One version for each minor on the way, the goal last. */
function hopsBetween(from: Version, to: Version): Version[] {
  const between: Version[] = [];
  for (let minor = from.minor + 1; minor < to.minor; minor += 1) {
    between.push(kubernetesRelease(minor));
  }
  return [...between, to];
}

function upgradeOne(
  { list }: PlanContext,
  machines: DesiredMachines,
  node: NodeDesign,
  component: keyof ComponentVersions,
  hop: Version,
  current: Map<string, ComponentVersions>,
  previous: string | undefined,
): string | undefined {
  const now = current.get(node.name);
  // Workers run a kubelet and nothing else of this.
  if (!now || (node.role === 'worker' && component !== 'kubelet')) return undefined;
  const running = parseVersion(now[component]);
  if (!running || compareVersions(running, hop) >= 0) return undefined;
  const to = formatVersion(hop);
  const next = { ...now, [component]: to };
  const before = machines.configWith(node.name, now);
  const after = machines.configWith(node.name, next);
  current.set(node.name, next);
  if (before.hash === after.hash) return undefined;
  const own = list.steps.filter(
    (step) =>
      step.node === node.name &&
      (step.kind === 'change-config' || step.kind === 'reboot-machine' || step.kind === 'configure-machine'),
  );
  return list.add(`${node.name}/${component}/${to}`, {
    kind: 'upgrade-component',
    node: node.name,
    title: `${TITLES[component]} of ${node.name} to Kubernetes ${to}`,
    reasons: [`${now[component]} → ${to}`],
    impact: 'live',
    needs: [
      previous,
      ...own.map((step) => step.id),
      ...list.steps.filter((step) => step.kind === 'end-disruption').map((step) => step.id),
    ],
    ip: node.ip,
    role: node.role,
    component,
    to,
    components: next,
    fromHash: before.hash,
    configHash: after.hash,
  });
}
