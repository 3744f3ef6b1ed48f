/** Design and what is there to the steps between them. Pure: the same input gives the same bytes. */
import type { Design, NodeDesign } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../observe/observed.js';
import { planAccess, planPool } from './access/plan-access.js';
import { planLegacyAccess } from './access/plan-legacy-access.js';
import { addressProblems } from './check/check-addresses.js';
import { configVersionProblems } from './check/check-config-versions.js';
import { heldElsewhereProblems } from './check/check-held-elsewhere.js';
import { identityProblems } from './check/check-identity.js';
import { immutableProblems } from './check/check-immutable.js';
import { roleProblems } from './check/check-roles.js';
import { outsideUsers } from './check/check-users.js';
import { lookalikeNotes } from './facts/deletion-rights.js';
import { planFormerNames, renameProblems } from './facts/renamed-nodes.js';
import { resetsEtcd } from './facts/resets-etcd.js';
import { isExpected, planDrainMark, planReturned, planStay } from './hosts/plan-drain.js';
import type { DesiredMachines, HostDrain, PlanContext, SnapshotFile } from './input.js';
import { planCsiVolumes } from './kubernetes/csi/plan-csi-volumes.js';
import { planKubernetes } from './kubernetes/plan-kubernetes.js';
import { talosDiffers } from './machines/plan-talos-upgrade.js';
import { makePlan } from './make-plan.js';
import type { Note, Plan, Problem } from './plan.js';
import { planBackup } from './plan-backup.js';
import { planMachines, planSecrets } from './plan-machines.js';
import { resumeProblems } from './recovery/check-resume.js';
import { planEphemeralReset } from './recovery/plan-ephemeral-reset.js';
import { planLostMember } from './recovery/plan-lost-member.js';
import { orderNodeChanges } from './roll/order-node.js';
import { type RollPolicy, rollDisruptions } from './roll/roll.js';
import { StepList } from './step-list.js';
import { hostResourceProblems } from './vms/check-host-resources.js';
import { type HostDecision, type ResolvedHosts, resolveHosts, withHosts } from './vms/node-host.js';
import { planDataVm } from './vms/plan-data-vm.js';
import { configsAfterMoves, planHostMove } from './vms/plan-host-move.js';
import { imageKey, imageOf, planImages } from './vms/plan-images.js';
import { planLegacyTags } from './vms/plan-legacy-tags.js';
import { planRemovedNodes } from './vms/plan-removed-nodes.js';
import { lacksSystemDisk } from './vms/plan-system-disk.js';
import { planTalosVm } from './vms/plan-talos-vm.js';

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
  /** Nodes to give a new EPHEMERAL disk; all control planes: etcd begins anew. */
  readonly fresh?: readonly string[];
  /** With which snapshot it does. */
  readonly restore?: SnapshotFile;
  /** A host goes into maintenance: what happens to its nodes. */
  readonly drain?: HostDrain;
  /** A host is back: the nodes that were drained from it return. */
  readonly hostReturn?: string;
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
  const context: PlanContext = {
    design,
    namedHosts: new Map(named.nodes.map((node) => [node.name, node.host])),
    observed,
    ...(options.machines && { machines: options.machines }),
    asked: {
      restart: options.restart ?? [],
      replace: [...(options.replace ?? []), ...upgradedByReplace(design, observed, options)],
      fresh: options.fresh ?? [],
      ...(options.restore && { restore: options.restore }),
      ...(options.drain && { drain: options.drain }),
      ...(options.hostReturn !== undefined && { hostReturn: options.hostReturn }),
    },
    list: new StepList(),
    resets: new Map(),
    problems: [...(options.found?.problems ?? [])],
    notes: [...(options.found?.notes ?? [])],
  };
  context.problems.push(
    ...identityProblems(design, observed),
    ...roleProblems(design, observed),
    ...renameProblems(design.nodes, observed),
    ...heldElsewhereProblems(design, observed),
    ...addressProblems(context),
    ...immutableProblems(context),
  );
  context.notes.push(...lookalikeNotes(design, observed));
  const users = outsideUsers(design, observed);
  context.problems.push(...users.problems);
  context.notes.push(...users.notes);
  if (options.machines) context.problems.push(...resumeProblems(context));
  planSecrets(context);

  const nodes = (options.drain ? inOrder(design.nodes).reverse() : inOrder(design.nodes))
    .filter((node) => options.only === undefined || options.only.includes(node.name))
    .filter((node) => isExpected(context, node));
  for (const node of nodes) noteHost(context, node, hosts.get(node.name));
  const placed = nodes.filter((node) => isUsable(context, node));
  const creating = placed.filter(
    (node) =>
      !observed.vms[node.talosVm.vmid] ||
      context.asked.replace.includes(node.name) ||
      lacksSystemDisk(node, observed),
  );
  const images = planImages(context, new Set(creating.map((node) => node.host)));
  if (options.only === undefined) planAccess(context);
  for (const node of placed) planNodeOrStay(context, node, images, hosts.get(node.name)?.move);
  if (options.only === undefined) planBackup(context);
  const usable = placed.filter((node) => !context.problems.some((problem) => problem.node === node.name));
  const told = usable.filter(({ name }) => !options.drain?.stays.has(name));
  planMachines(context, told, options.only === undefined);
  if (options.only === undefined) {
    planPool(context);
    planCsiVolumes(context);
    if (options.kubernetes) planKubernetes(context, options.kubernetes);
    planLegacyAccess(context);
    planLegacyTags(context);
  }
  const policy = options.policy ?? ONE_BY_ONE;
  for (const node of usable) orderNodeChanges(context, node);
  if (options.machines) rollDisruptions(context, usable, policy);
  configsAfterMoves(context);
  planFormerNames(context, usable);
  for (const node of usable) planReturned(context, node);
  if (options.only === undefined) planRemovedNodes(context, policy);
  if (context.list.steps.length > 0) checkQuorum(context);
  context.problems.push(...configVersionProblems(context));
  // With the hosts that oxherd.yaml names: a VM that was moved outside oxherd makes no other plan.
  return makePlan(named, observed, {
    // A wrong plan is not half a plan: with a problem that concerns everything, nothing is to be done.
    steps: context.problems.some((problem) => problem.scope === 'plan') ? [] : context.list.steps,
    problems: context.problems,
    notes: context.notes,
    machines: options.machines,
    kubernetes: options.kubernetes,
    spreadHosts: policy.spreadHosts,
    rolled: options.machines !== undefined && !resetsEtcd(context),
  });
}

/** Nodes that get their other Talos with a new system disk, as the policy says. */
function upgradedByReplace(design: Design, { machines }: Observed, options: PlanOptions): string[] {
  if (!options.machines || options.policy?.upgrade !== 'replace') return [];
  const fresh = new Set([...(options.replace ?? []), ...(options.fresh ?? [])]);
  return design.nodes
    .filter((node) => !fresh.has(node.name) && (options.only?.includes(node.name) ?? true))
    .filter((node) => {
      const details = machines[node.name]?.details;
      return details?.known === true && talosDiffers(node, details.value);
    })
    .map((node) => node.name);
}

/**
 * Reading works without a quorum, and every change fails. But pveproxy goes on saying so for a while after
 * `pvecm expected 1`: the lock, which is the first and smallest write of a run, finds out, before anything is changed.
 */
function checkQuorum({ observed, notes }: PlanContext): void {
  if (!observed.quorate.known || observed.quorate.value) return;
  notes.push({
    code: 'advice',
    message:
      'the Proxmox cluster reports no quorum; apply stops at its lock, before any change, if that is so (see `pvecm status`)',
  });
}

/** Control planes first, then by name; numbers in names count as numbers. */
export function inOrder(nodes: readonly NodeDesign[]): NodeDesign[] {
  return [...nodes].sort(
    (a, b) =>
      Number(a.role === 'worker') - Number(b.role === 'worker') ||
      a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
}

/** A VM that people or HA moved is followed, not made again: the host in oxherd.yaml is an intent. */
function noteHost(
  { notes, namedHosts }: PlanContext,
  node: NodeDesign,
  decision: HostDecision | undefined,
): void {
  if (decision?.drained) {
    const { host, until } = decision.drained;
    notes.push({
      code: 'left-alone',
      node: node.name,
      message: `${node.name} runs on ${decision.host} while ${host} is drained${until === undefined ? '' : ` (until ${until})`}; bring it back with: oxherd host return ${host}`,
    });
  }
  if (!decision?.followed) return;
  const named = namedHosts.get(node.name);
  notes.push({
    code: 'drift',
    node: node.name,
    message: `${node.name} runs on ${decision.host}; oxherd.yaml says ${named} (moved outside oxherd, left there). Set host: ${decision.host} to accept; set another host after that to move it`,
  });
}

/** A node that leaves a host for its maintenance is noted first; one that stays there is only shut down. */
function planNodeOrStay(
  context: PlanContext,
  node: NodeDesign,
  images: ReadonlyMap<string, string | undefined>,
  move: HostDecision['move'],
): void {
  if (planStay(context, node)) return;
  const before = context.list.steps.length;
  planNode(context, node, images, move);
  planDrainMark(context, node, context.list.steps.slice(before));
}

function isUsable(context: PlanContext, node: NodeDesign): boolean {
  if (context.problems.some((problem) => problem.node === node.name)) return false;
  const problems = hostResourceProblems(node, context.observed);
  context.problems.push(...problems);
  return problems.length === 0;
}

function planNode(
  context: PlanContext,
  node: NodeDesign,
  images: ReadonlyMap<string, string | undefined>,
  move: HostDecision['move'],
): void {
  const { list, observed, problems } = context;
  const before = list.steps.length;
  const lost = planLostMember(context, node);
  const renewal = planEphemeralReset(context, node);
  if (node.dataVm && observed.vms[node.talosVm.vmid] && !observed.vms[node.dataVm.vmid] && !renewal) {
    problems.push({
      code: 'data-vm-missing',
      scope: 'plan',
      node: node.name,
      message: `VM ${node.talosVm.vmid} exists, but the data VM ${node.dataVm.vmid} that owns its disks is missing`,
      advice: `restore VM ${node.dataVm.vmid} from a backup; if its data is lost for good: oxherd apply --fresh --only ${node.name} --confirm ${context.design.cluster.name}`,
    });
  }
  if (renewal && move) problems.push(oneAtATime(node));
  const moved = move && !renewal ? planHostMove(context, node, move) : { context, last: undefined };
  if (!moved || problems.some((problem) => problem.node === node.name)) {
    list.drop(before);
    return;
  }
  const first = list.steps.length;
  const ready = node.dataVm ? planDataVm(moved.context, node, node.dataVm, [lost]) : new Map();
  if (!ready) {
    list.drop(before);
    return;
  }
  const image = imageOf(context.design, node);
  const imageStep = image && images.get(imageKey(node.host, image.volid));
  planTalosVm(moved.context, node, ready, { image: imageStep, lost });
  if (moved.last !== undefined)
    list.addNeeds(
      list.steps.slice(first).map((step) => step.id),
      moved.last,
    );
  // A node with a problem of its own is left as it is: its steps go again.
  if (problems.some((problem) => problem.node === node.name)) list.drop(before);
}

function oneAtATime(node: NodeDesign): Problem {
  return {
    code: 'host-move',
    scope: 'node',
    node: node.name,
    message: `${node.name} gets a new disk and cannot move to ${node.host} by the same plan`,
    advice: 'leave its host as it was, apply, then change it',
  };
}
