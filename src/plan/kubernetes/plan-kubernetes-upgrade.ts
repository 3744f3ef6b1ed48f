/**
 * Kubernetes in the order of `talosctl upgrade-k8s`: every API server, every controller manager, every scheduler, the
 * proxy, then the kubelets, one machine at a time and one minor version at a time; images are there before, Talos's own
 * manifests follow. Where a run was cut off the next plan goes on: it starts from what the machines' configs say.
 */

import type { NodeDesign } from '../../design/design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { kubernetesRelease } from '../../model/releases.js';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../model/version.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { runningComponents } from '../facts/kubernetes-components.js';
import { machineUuid } from '../facts/renamed-nodes.js';
import type { DesiredMachines, PlanContext } from '../input.js';
import { planImagePulls } from '../machines/plan-image-pulls.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { planManifestSync } from './plan-manifest-sync.js';

const ORDER = ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'kubelet'] as const;

const TITLES: Record<keyof ComponentVersions, string> = {
  apiServer: 'API server',
  controllerManager: 'controller manager',
  scheduler: 'scheduler',
  proxy: 'kube-proxy',
  kubelet: 'kubelet',
};

export function planKubernetesUpgrade(
  given: PlanContext,
  nodes: readonly NodeDesign[],
  machines: DesiredMachines,
): Planned {
  return drafted(given, (context) => {
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
        message: `the cluster runs Kubernetes ${formatVersion(higher)}; downgrading to ${machines.kubernetes} is not supported`,
        advice: `set cluster.kubernetes: ${formatVersion(higher)}`,
      });
      return;
    }
    const silent = silentControlPlanes(context);
    if (silent.length > 0) {
      context.notes.push({
        code: 'unknown',
        message: `Kubernetes is not upgraded before ${silent.join(', ')} ${silent.length === 1 ? 'answers' : 'answer'}: control planes must not be two minor versions apart`,
      });
      return;
    }
    const hops = hopsBetween(lowest, goal);
    const pulls = planImagePulls(context, outdated, hops.map(formatVersion), machines);
    const current = new Map(outdated.map(({ node, running }) => [node.name, running]));
    let previous = pulls;
    for (const hop of hops) {
      for (const component of ORDER) {
        for (const { node } of outdated) {
          const step = upgradeOne(context, machines, node, component, hop, current, previous);
          if (step !== undefined) previous = [step];
        }
      }
      const synced = planManifestSync(context, previous, `Kubernetes ${formatVersion(hop)}`);
      if (synced !== undefined) previous = [synced];
    }
  });
}

/** Machines of control planes that are there and do not say what they run. */
function silentControlPlanes({ design, observed }: PlanContext): string[] {
  return design.nodes
    .filter((node) => node.role === 'controlplane' && visibleVm(observed, node.talosVm.vmid) !== undefined)
    .filter(({ name }) => {
      const details = observed.machines[name]?.details;
      return !details?.known || !details.value.config.known;
    })
    .map((node) => node.name);
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
  { list }: Draft,
  machines: DesiredMachines,
  node: NodeDesign,
  component: keyof ComponentVersions,
  hop: Version,
  current: Map<string, ComponentVersions>,
  previous: readonly string[],
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
    impact: 'component',
    needs: [
      ...previous,
      ...own.map((step) => step.id),
      ...list.steps.filter((step) => step.kind === 'end-disruption').map((step) => step.id),
    ],
    ...machineUuid(node),
    ip: node.ip,
    role: node.role,
    component,
    to,
    components: next,
    fromHash: before.hash,
    configHash: after.hash,
  });
}
