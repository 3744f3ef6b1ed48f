/**
 * Room `plan`: from a design and what was observed to the steps between them.
 * May touch: values alone: no file, no network, no clock.
 *
 * Pure: the same input gives the same bytes.
 */

import type { Design, NodeDesign } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { compareNaturally } from '../model/natural-order.js';
import type { Observed } from '../observe/observed.js';
import { mayCreate } from '../observe/observed-vms.js';
import { planAccess, planPool } from './access/plan-access.js';
import { planLegacyAccess } from './access/plan-legacy-access.js';
import { addressProblems } from './check/check-addresses.js';
import { configVersionProblems } from './check/check-config-versions.js';
import { heldElsewhereProblems } from './check/check-held-elsewhere.js';
import { hiddenProblems, rightsProblems } from './check/check-hidden.js';
import { identityProblems } from './check/check-identity.js';
import { immutableProblems } from './check/check-immutable.js';
import { nodeKeyProblems } from './check/check-node-keys.js';
import { roleProblems } from './check/check-roles.js';
import { outsideUsers } from './check/check-users.js';
import { lookalikeNotes } from './facts/deletion-rights.js';
import { planFormerNames, renameProblems } from './facts/renamed-nodes.js';
import { resetsEtcd } from './facts/resets-etcd.js';
import { planHa } from './ha/plan-ha.js';
import { drainedTarget, isExpected, planReturned } from './hosts/plan-drain.js';
import { planNodeOrStay } from './hosts/plan-node.js';
import type { DesiredMachines, HostDrain, PlanContext, SnapshotFile } from './input.js';
import { planCsiVolumes } from './kubernetes/csi/plan-csi-volumes.js';
import { planKubernetes } from './kubernetes/plan-kubernetes.js';
import { talosDiffers } from './machines/plan-talos-upgrade.js';
import { makePlan } from './make-plan.js';
import type { Note, Plan, Problem } from './plan.js';
import { planMachines, planSecrets } from './plan-machines.js';
import { drafted, draftOf, type Planned } from './planned.js';
import { abandonedNotes, resumeProblems } from './recovery/check-resume.js';
import { missingGateNotes } from './roll/missing-gates.js';
import { orderNodeChanges } from './roll/order-node.js';
import { planOutage } from './roll/outage.js';
import { type RollPolicy, rollDisruptions } from './roll/roll.js';
import { hostResourceProblems } from './vms/check-host-resources.js';
import { needsNewFirmware } from './vms/new-firmware.js';
import { type ResolvedHosts, resolveHosts, withHosts } from './vms/node-host.js';
import { planBackup } from './vms/plan-backup.js';
import { configsAfterMoves } from './vms/plan-host-move.js';
import { planImages } from './vms/plan-images.js';
import { planLegacyTags } from './vms/plan-legacy-tags.js';
import { planRemovedNodes } from './vms/plan-removed-nodes.js';
import { lacksSystemDisk } from './vms/plan-system-disk.js';

export interface PlanOptions {
  /** Where every node belongs; without it that is decided here. */
  readonly hosts?: ResolvedHosts;
  /** What the machines should be told; without it VMs and disks alone are planned. */
  readonly machines?: DesiredMachines;
  /** What should be in the cluster; without it nothing is planned there. */
  readonly kubernetes?: KubernetesDesign;
  /** What was found besides, such as hosts that are too small. */
  readonly found?: { readonly problems: readonly Problem[]; readonly notes: readonly Note[] };
  /** How many nodes may be away; without it one worker at a time. */
  readonly policy?: RollPolicy;
  /** Nodes to stop and start, whether or not anything waits for it. */
  readonly restart?: readonly string[];
  /** Nodes to give a new system disk. */
  readonly replace?: readonly string[];
  /** Nodes to give a new EPHEMERAL disk; all control planes: etcd starts again. */
  readonly fresh?: readonly string[];
  /** With which snapshot it does. */
  readonly restore?: SnapshotFile;
  /** A host goes into maintenance: what happens to its nodes. */
  readonly drain?: HostDrain;
  /** A host is back: the nodes that were drained from it return. */
  readonly hostReturn?: string;
  /** A host never comes back: its nodes are made again elsewhere, or taken over. */
  readonly lostHost?: string;
  /** These nodes alone; the rest of the plan (images, access) only as far as they need it. */
  readonly only?: readonly string[];
}

const ONE_BY_ONE: RollPolicy = {
  maxUnavailable: { workers: 1 },
  spreadHosts: true,
  drain: { timeoutSeconds: 300, deleteLocalData: true, force: false },
  gates: [],
  outage: 'ask',
  upgrade: 'in-place',
};

export function planCluster(named: Design, observed: Observed, options: PlanOptions = {}): Plan {
  const hosts = options.hosts ?? resolveHosts(named, observed);
  const design = withHosts(named, hosts);
  const context = draftOf({
    design,
    namedHosts: new Map(named.nodes.map((node) => [node.name, node.host])),
    observed,
    ...(options.machines && { machines: options.machines }),
    asked: {
      restart: options.restart ?? [],
      replace: [...new Set([...(options.replace ?? []), ...replacedByPlan(design, observed, options)])],
      fresh: options.fresh ?? [],
      ...(options.restore && { restore: options.restore }),
      ...(options.drain && { drain: options.drain }),
      ...(options.hostReturn !== undefined && { hostReturn: options.hostReturn }),
      ...(options.lostHost !== undefined && { lostHost: options.lostHost }),
    },
    list: { steps: [] },
    resets: new Map(),
    problems: options.found?.problems ?? [],
    notes: options.found?.notes ?? [],
  });
  const whole = options.only === undefined;
  const policy = options.policy ?? ONE_BY_ONE;
  context.take(checkCluster(context, options.machines !== undefined));
  context.take(planSecrets(context));
  const nodes = context.take(expectedNodes(context, options));
  context.take(noteHosts(context, nodes, hosts));
  const placed = context.take(placeNodes(context, nodes));
  const images = context.take(planImages(context, hostsWithNewDisks(context, placed)));
  if (whole) context.take(planAccess(context));
  for (const node of placed) context.take(planNodeOrStay(context, node, images, hosts.get(node.name)?.move));
  if (whole) context.take(planBackup(context));
  const usable = placed.filter((node) => !hasProblem(context, node));
  const told = usable.filter(({ name }) => !options.drain?.stays.has(name));
  context.take(planMachines(context, told, whole));
  if (whole) {
    context.take(planPool(context));
    context.take(planCsiVolumes(context));
    if (options.kubernetes) context.take(planKubernetes(context, options.kubernetes));
    context.take(planLegacyAccess(context));
    context.take(planLegacyTags(context));
  }
  for (const node of usable) context.take(orderNodeChanges(context, node));
  if (options.machines) context.take(rollDisruptions(context, usable, policy));
  context.take(configsAfterMoves(context));
  context.take(planFormerNames(context, usable));
  for (const node of usable) context.take(planReturned(context, node));
  if (whole) context.take(planHa(context));
  if (whole) context.take(planRemovedNodes(context, policy));
  planOutage(context, policy.outage);
  context.notes.push(...missingGateNotes(policy.gates, observed));
  context.take(noteQuorum(context));
  context.problems.push(...configVersionProblems(context));
  // With the hosts that oxherd.yaml names: a VM that was moved outside oxherd makes no other plan.
  return makePlan(named, observed, {
    // A wrong plan is not half a plan: with a problem that concerns everything, nothing is to be done.
    steps: context.problems.some((problem) => problem.scope === 'plan') ? [] : context.list.steps,
    problems: context.problems,
    notes: context.notes,
    only: options.only,
    lostHost: options.lostHost,
    machines: options.machines,
    kubernetes: options.kubernetes,
    spreadHosts: policy.spreadHosts,
    rolled: options.machines !== undefined && !resetsEtcd(context),
    confirmedOutage: resetVms(context),
  });
}

/** All of etcd starts again with them, which was confirmed by name. */
function resetVms(context: PlanContext): number[] {
  if (!resetsEtcd(context)) return [];
  return context.design.nodes
    .filter(({ name }) => context.resets.has(name))
    .map(({ talosVm }) => talosVm.vmid);
}

/** What the whole plan depends on, before anything is planned. */
function checkCluster(given: PlanContext, machines: boolean): Planned {
  return drafted(given, (context) => {
    const { design, observed, problems, notes } = context;
    const users = outsideUsers(design, observed);
    problems.push(
      ...identityProblems(design, observed),
      ...rightsProblems(observed),
      ...hiddenProblems(design, observed),
      ...roleProblems(design, observed),
      ...renameProblems(design.nodes, observed),
      ...heldElsewhereProblems(design, observed),
      ...addressProblems(context),
      ...immutableProblems(context),
      ...nodeKeyProblems(context),
      ...users.problems,
      ...(machines ? resumeProblems(context) : []),
    );
    notes.push(...(machines ? abandonedNotes(context) : []));
    notes.push(...lookalikeNotes(design, observed), ...users.notes);
  });
}

function hasProblem({ problems }: PlanContext, node: NodeDesign): boolean {
  return problems.some((problem) => problem.node === node.name);
}

/** Nodes that their hosts can take. */
function placeNodes(given: PlanContext, nodes: readonly NodeDesign[]): Planned<readonly NodeDesign[]> {
  return drafted(given, (context) =>
    nodes.filter((node) => {
      if (hasProblem(context, node)) return false;
      const problems = [...hostResourceProblems(node, context.observed), ...drainedTarget(context, node)];
      context.problems.push(...problems);
      return problems.length === 0;
    }),
  );
}

function hostsWithNewDisks({ observed, asked }: PlanContext, nodes: readonly NodeDesign[]): Set<string> {
  const creating = nodes.filter(
    (node) =>
      mayCreate(observed, node.talosVm.vmid) ||
      asked.replace.includes(node.name) ||
      lacksSystemDisk(node, observed),
  );
  return new Set(creating.map((node) => node.host));
}

/** Nodes that get a new system disk: with another Talos, if the policy says so, and with another firmware. */
function replacedByPlan(design: Design, observed: Observed, options: PlanOptions): string[] {
  const upgrades = options.machines !== undefined && options.policy?.upgrade === 'replace';
  const isUpgraded = (node: NodeDesign) => {
    const details = observed.machines[node.name]?.details;
    return upgrades && details?.known === true && talosDiffers(node, details.value);
  };
  return design.nodes
    .filter(({ name }) => !options.fresh?.includes(name) && (options.only?.includes(name) ?? true))
    .filter((node) => isUpgraded(node) || (node.dataVm && needsNewFirmware(node, observed)))
    .map((node) => node.name);
}

/** Reading works without a quorum, and every change fails: the lock, which is the first write of a run, finds out. */
function noteQuorum(given: PlanContext): Planned {
  return drafted(given, ({ list, observed, notes }) => {
    const { quorate } = observed;
    if (list.steps.length === 0 || (quorate.known && quorate.value)) return;
    const found = quorate.known ? 'reports no quorum' : `may have no quorum (${quorate.why})`;
    notes.push({
      code: 'advice',
      message: `the Proxmox cluster ${found}; apply stops at its lock, before any change, if that is so (see \`pvecm status\`)`,
    });
  });
}

/** Control planes first, then by name; numbers in names count as numbers. */
export function inOrder(nodes: readonly NodeDesign[]): NodeDesign[] {
  return [...nodes].sort(
    (a, b) => Number(a.role === 'worker') - Number(b.role === 'worker') || compareNaturally(a.name, b.name),
  );
}

/** A VM that people or HA moved is followed, not made again: the host in oxherd.yaml is an intent. */
function noteHosts(given: PlanContext, nodes: readonly NodeDesign[], hosts: ResolvedHosts): Planned {
  return drafted(given, ({ notes, namedHosts }) => {
    for (const node of nodes) {
      const { name } = node;
      const decision = hosts.get(name);
      if (decision?.drained) {
        const { host, until } = decision.drained;
        notes.push({
          code: 'left-alone',
          node: name,
          message: `${name} runs on ${decision.host} while ${host} is drained${until === undefined ? '' : ` (until ${until})`}; bring it back with: oxherd host return ${host}`,
        });
      }
      if (!decision?.followed) continue;
      notes.push({
        code: 'drift',
        node: name,
        message: `${name} runs on ${decision.host} and stays there; oxherd.yaml says ${namedHosts.get(name)}. ${acceptHost(given, node, hosts)} to accept; set another host after that to move it`,
      });
    }
  });
}

/** Members of a group have no `host` of their own: the list that deals the group out names each of them in turn. */
function acceptHost({ design, namedHosts }: PlanContext, node: NodeDesign, hosts: ResolvedHosts): string {
  const hostOf = ({ name }: NodeDesign) => {
    const decision = hosts.get(name);
    return decision?.followed ? decision.host : (namedHosts.get(name) ?? decision?.host);
  };
  if (node.group === undefined) return `Set host: ${hostOf(node)}`;
  const members = design.nodes
    .filter(({ group }) => group === node.group)
    .sort((a, b) => compareNaturally(a.name, b.name));
  return `Set hosts: [${members.map(hostOf).join(', ')}] of the group ${node.group}, without host:,`;
}

/** Those that this plan is for; what is off because its host is drained is left alone. */
function expectedNodes(given: PlanContext, { only, drain }: PlanOptions): Planned<readonly NodeDesign[]> {
  const ordered = inOrder(given.design.nodes);
  return drafted(given, (context) =>
    (drain ? ordered.reverse() : ordered)
      .filter(({ name }) => only?.includes(name) ?? true)
      .filter((node) => isExpected(context, node)),
  );
}
