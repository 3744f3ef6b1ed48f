/**
 * Kubernetes in the order of `talosctl upgrade-k8s`: every API server, every controller manager, every scheduler, the
 * proxy, then the kubelets, one machine at a time and one minor version at a time; images are there before, Talos's own
 * manifests follow. Where a run was cut off the next plan goes on from the machines' configs. A part that its config names
 * and that does not run is an open step, before the same part of any other machine.
 */

import type { NodeDesign } from '../../design/design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { kubernetesRelease } from '../../model/releases.js';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../model/version.js';
import type { Observed } from '../../observe/observed.js';
import { type KubernetesPart, stoppedComponents } from '../../observe/observed-components.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { allAt, configuredComponents, namedVersions } from '../facts/kubernetes-components.js';
import { otherControlPlanes } from '../facts/members.js';
import { machineUuid } from '../facts/renamed-nodes.js';
import type { DesiredMachines, PlanContext } from '../input.js';
import { planImagePulls } from '../machines/plan-image-pulls.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import type { StepKind, StepOf } from '../steps.js';
import { planManifestSync } from './plan-manifest-sync.js';

const ORDER = ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'kubelet'] as const;

const TITLES: Record<KubernetesPart, string> = {
  apiServer: 'API server',
  controllerManager: 'controller manager',
  scheduler: 'scheduler',
  proxy: 'kube-proxy',
  kubelet: 'kubelet',
};

interface Concerned {
  readonly node: NodeDesign;
  readonly configured: ComponentVersions;
  readonly stopped: Partial<Record<KubernetesPart, string>>;
}

export function planKubernetesUpgrade(
  given: PlanContext,
  nodes: readonly NodeDesign[],
  machines: DesiredMachines,
): Planned {
  return drafted(given, (context) => {
    const goal = parseVersion(machines.kubernetes);
    const concerned = nodes.flatMap((node) => concernedNode(node, context.observed, machines.kubernetes));
    if (!goal || concerned.length === 0) return;
    const versions = concerned.flatMap(({ node, configured }) =>
      partsOf(node).flatMap((part) => parseVersion(configured[part]) ?? []),
    );
    const higher = versions.find((version) => version.minor > goal.minor);
    if (higher && !mayGoBack(goal, higher, concerned, nodes, context.observed)) {
      context.problems.push(downgradeProblem(higher, machines.kubernetes));
      return;
    }
    const differ = versions.some((version) => compareVersions(version, goal) !== 0);
    const silent = differ ? silentControlPlanes(context) : [];
    if (silent.length > 0) {
      context.notes.push({
        code: 'unknown',
        message: `Kubernetes is not upgraded before ${silent.join(', ')} ${silent.length === 1 ? 'answers' : 'answer'}: control planes must not be two minor versions apart`,
      });
      return;
    }
    planParts(context, concerned, machines, { goal, lowest: [...versions].sort(compareVersions)[0] ?? goal });
  });
}

function concernedNode(node: NodeDesign, observed: Observed, wanted: string): Concerned[] {
  const machine = observed.machines[node.name];
  if (!machine) return [];
  const configured = configuredComponents(machine, wanted);
  const stopped = stoppedComponents(node, observed);
  if (!configured && Object.keys(stopped).length === 0) return [];
  return [{ node, configured: configured ?? allAt(wanted), stopped }];
}

/** Workers run a kubelet and nothing else of this. */
function partsOf({ role }: NodeDesign): readonly KubernetesPart[] {
  return role === 'worker' ? ['kubelet'] : ORDER;
}

function planParts(
  context: Draft,
  concerned: readonly Concerned[],
  machines: DesiredMachines,
  { goal, lowest }: { readonly goal: Version; readonly lowest: Version },
): void {
  const hops = hopsBetween(lowest, goal);
  const current = new Map(concerned.map(({ node, configured }) => [node.name, configured]));
  let previous: readonly string[] = planImagePulls(context, concerned, hops.map(formatVersion), machines);
  const stage = (part: KubernetesPart, to: Version, direction: 'up' | 'back') => {
    const sign = direction === 'up' ? -1 : 1;
    let changes = false;
    for (const one of inTurn(part, concerned)) {
      const running = parseVersion(current.get(one.node.name)?.[part] ?? '');
      if (!running || !partsOf(one.node).includes(part)) continue;
      const isDue = compareVersions(running, to) * sign > 0;
      const isThere = direction === 'up' && compareVersions(running, goal) === 0 && to === goal;
      const step = isDue
        ? upgradeOne(context, machines, one.node, part, to, current, previous)
        : isThere && configuredAt(one, part, goal)
          ? openOne(context, machines, one, part, current, previous)
          : undefined;
      if (step === undefined) continue;
      previous = [step];
      changes ||= isDue;
    }
    return changes;
  };
  const sync = (to: Version) => {
    const synced = planManifestSync(context, previous, `Kubernetes ${formatVersion(to)}`);
    if (synced !== undefined) previous = [synced];
  };
  // Back in the reverse order: neither a kubelet nor a scheduler may be newer than the API servers.
  const back = [...ORDER].reverse().filter((part) => stage(part, goal, 'back'));
  for (const hop of hops) {
    const changed = ORDER.filter((part) => stage(part, hop, 'up'));
    if (changed.length > 0 || (back.length > 0 && hop === goal)) sync(hop);
  }
}

/** This plan has not changed it: what was seen of it still holds. */
function configuredAt({ configured }: Concerned, part: KubernetesPart, version: Version): boolean {
  return configured[part] === formatVersion(version);
}

/** What does not run first, so that no other machine follows it; then, of kubelets, a worker: it is drained before. */
function inTurn(part: KubernetesPart, concerned: readonly Concerned[]): Concerned[] {
  const stopped = concerned.filter((one) => one.stopped[part] !== undefined);
  const rest = concerned.filter((one) => !stopped.includes(one));
  const first = part === 'kubelet' ? rest.find(({ node }) => node.role === 'worker') : undefined;
  return [...stopped, ...(first ? [first] : []), ...rest.filter((one) => one !== first)];
}

function downgradeProblem(higher: Version, wanted: string): Draft['problems'][number] {
  return {
    code: 'kubernetes-downgrade',
    scope: 'plan',
    message: `the cluster runs Kubernetes ${formatVersion(higher)}; downgrading to ${wanted} is not supported`,
    advice: `set cluster.kubernetes: ${formatVersion(higher)}`,
  };
}

/**
 * An upgrade that has not ended may be taken back by one minor. Kubernetes keeps objects in a form that the version before
 * reads (deprecation policy, rule 4b: users must be able to roll back); it promises that for one minor only.
 */
function mayGoBack(
  goal: Version,
  higher: Version,
  concerned: readonly Concerned[],
  nodes: readonly NodeDesign[],
  { machines }: Observed,
): boolean {
  if (higher.major !== goal.major || higher.minor !== goal.minor + 1) return false;
  const isBehind = (text: string) => (parseVersion(text)?.minor ?? higher.minor) <= goal.minor;
  return (
    nodes.some(({ name }) => {
      const machine = machines[name];
      return machine !== undefined && namedVersions(machine).some(isBehind);
    }) || concerned.some(({ stopped }) => Object.keys(stopped).length > 0)
  );
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
  context: Draft,
  machines: DesiredMachines,
  node: NodeDesign,
  component: KubernetesPart,
  hop: Version,
  current: Map<string, ComponentVersions>,
  previous: readonly string[],
): string | undefined {
  const now = current.get(node.name);
  if (!now) return undefined;
  const to = formatVersion(hop);
  const next = { ...now, [component]: to };
  const before = machines.configWith(node.name, now);
  const after = machines.configWith(node.name, next);
  current.set(node.name, next);
  if (before.hash === after.hash) return undefined;
  return addStep(context, node, {
    component,
    to,
    from: now[component],
    reasons: [`${now[component]} → ${to}`],
    components: next,
    fromHash: before.hash,
    configHash: after.hash,
    needs: previous,
  });
}

/** Steps after which a machine was found healthy with its config: nothing is open then. */
const SETTLES: ReadonlySet<StepKind> = new Set<StepKind>([
  'change-config',
  'configure-machine',
  'reboot-machine',
  'replace-os-disk',
  'restart-vm',
  'upgrade-talos',
]);

/** The config names it already, and something else runs, or nothing. */
function openOne(
  context: Draft,
  machines: DesiredMachines,
  { node, stopped }: Concerned,
  component: KubernetesPart,
  current: ReadonlyMap<string, ComponentVersions>,
  previous: readonly string[],
): string | undefined {
  const why = stopped[component];
  const now = current.get(node.name);
  if (why === undefined || !now) return undefined;
  if (context.list.steps.some((step) => step.node === node.name && SETTLES.has(step.kind))) return undefined;
  const { hash } = machines.configWith(node.name, now);
  const to = now[component];
  context.notes.push({
    code: 'advice',
    node: node.name,
    message: `${TITLES[component]} of ${node.name}: ${why}; if it does not start by itself, remove from oxherd.yaml what Kubernetes ${to} does not accept, or set cluster.kubernetes to the version that ran before, then run apply`,
  });
  return addStep(context, node, {
    component,
    to,
    from: to,
    reasons: [why],
    components: now,
    fromHash: hash,
    configHash: hash,
    needs: previous,
  });
}

type UpgradeStep = Omit<
  StepOf<'upgrade-component'>,
  'id' | 'kind' | 'title' | 'impact' | 'ip' | 'role' | 'others' | 'action' | 'load'
>;

function addStep({ list, design, observed }: Draft, node: NodeDesign, step: UpgradeStep): string {
  const own = list.steps.filter(
    ({ node: name, kind }) =>
      name === node.name &&
      (kind === 'change-config' || kind === 'reboot-machine' || kind === 'configure-machine'),
  );
  return list.add(`${node.name}/${step.component}/${step.to}`, {
    ...step,
    kind: 'upgrade-component',
    node: node.name,
    title: `${TITLES[step.component]} of ${node.name} to Kubernetes ${step.to}`,
    impact: 'component',
    needs: [
      ...step.needs,
      ...own.map(({ id }) => id),
      ...list.steps.filter(({ kind }) => kind === 'end-disruption').map(({ id }) => id),
    ],
    ...machineUuid(node),
    ip: node.ip,
    role: node.role,
    others: otherControlPlanes({ design }, node).filter(
      ({ name }) => observed.machines[name]?.presence === 'configured',
    ),
  });
}
