/** Nodes that oxherd.yaml no longer names: out of the cluster first, then the Talos VM goes; the data VM stays. */

import type { Role } from '../../config/config-values.js';
import type { PolicyConfig } from '../../config/policy-config.js';
import type { Design } from '../../design/design.js';
import { sidOf } from '../../design/ha.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { uuidOfVm } from '../../formats/proxmox/smbios-uuid.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { dataVmidOf, talosVmidOf } from '../../model/identity.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { type KubeNode, kubeNodeOf } from '../../observe/observed-kubernetes.js';
import type { EtcdMember } from '../../observe/observed-machines.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import { blockersOf, claimsOf, keepsDataApart } from '../drives/claims.js';
import { countedNodes, withoutApi } from '../facts/cluster-nodes.js';
import { secretsNeeded } from '../facts/deletion-rights.js';
import { mayHaveEtcd } from '../facts/etcd-suspects.js';
import { type Candidate, memberIdOf, memberOwners } from '../facts/member-owners.js';
import { livingEtcd } from '../facts/members.js';
import { isProved, unproved } from '../facts/proved-vm.js';
import { mayBeControlPlane, objectsOf, removedVms } from '../facts/removed-vms.js';
import { uuidOf } from '../facts/renamed-nodes.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import { restartsComponent } from '../facts/roll-steps.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import { isPart } from '../kubernetes/order-kubernetes.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { planSnapshot } from '../recovery/plan-snapshot.js';
import { lostAdvice } from './check-host-resources.js';

type RemovalPolicy = Pick<PolicyConfig, 'drain' | 'gates'>;

export function planRemovedNodes(given: PlanContext, policy: RemovalPolicy): Planned {
  return drafted(given, (context) => {
    const { design, observed, list, problems, notes } = context;
    const { secrets } = context.machines ?? {};
    const members = context.machines ? membersOf(context) : NO_MEMBERS;
    for (const vm of inRemovalOrder(removedVms(design, observed), observed)) {
      if (vm.tags.includes(DATA_TAG)) {
        notes.push({
          code: 'parked',
          message: `data VM ${vm.vmid} (${vm.name}) on ${vm.host} is kept: its node is not in oxherd.yaml`,
        });
        if (context.machines) planLeftMember(context, vm, policy, members);
        continue;
      }
      if (secrets && !secrets.present) {
        problems.push(
          secretsNeeded(
            `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml and would be removed`,
            secrets.path,
          ),
        );
        continue;
      }
      const view = vmView(vm);
      const proved = !view || isProved(context, vm);
      const refused = !proved
        ? [unproved(context, vm)]
        : view
          ? [
              ...unreadMembers(context, vm),
              ...unclearMember(vm, members, observed),
              ...whyItStays(context, vm, view),
            ]
          : [unread(vm, observed)];
      if (refused.length > 0 && refused.every(ownsData) && memberOf(vm, members)) {
        planDeparture(context, vm, policy, members);
        continue;
      }
      if (!view || refused.length > 0) {
        problems.push(...refused);
        continue;
      }
      const dataVmid = dataVmidOf(vm.vmid);
      const retire = context.machines && planRetirement(context, vm, policy, members);
      list.add(String(vm.vmid), {
        kind: 'destroy-talos-vm',
        node: vm.name,
        title: `remove VM ${vm.vmid} (${vm.name}) from ${vm.host}; its data VM ${dataVmid} is kept`,
        reasons: ['its node is not in oxherd.yaml'],
        impact: 'remove',
        needs: [retire, list.idOf('remove-ha-resource', sidOf(vm.vmid))],
        load: { host: vm.host },
        vmid: vm.vmid,
        ...(dataVmid !== undefined && { dataVmid }),
        host: vm.host,
        volids: [],
      });
    }
    if (context.machines) planOrphans(context, members);
    partsAfterRemovals(context);
  });
}

/** etcd's list and whose its entries are; empty while etcd does not answer, or if it starts again by this plan. */
interface Members {
  readonly listed: readonly EtcdMember[];
  readonly owners: ReadonlyMap<string, Candidate>;
}

const NO_MEMBERS: Members = { listed: [], owners: new Map() };

function membersOf(context: Draft): Members {
  const etcd = livingEtcd(context);
  if (etcd.state !== 'living' || resetsEtcd(context)) return NO_MEMBERS;
  return { listed: etcd.members, owners: memberOwners(context, etcd.members) };
}

/** By id of the Talos VM. */
function memberOf({ vmid }: { readonly vmid: number }, { listed, owners }: Members): EtcdMember | undefined {
  return listed.find(({ id }) => owners.get(id)?.vmid === vmid);
}

/** Workers first, because their work can still move; then members that are dead, so that the quorum outlasts the living. */
function inRemovalOrder(vms: readonly ObservedVm[], observed: Observed): ObservedVm[] {
  const rank = (vm: ObservedVm) => {
    if (!mayBeControlPlane(vm, observed)) return 0;
    return memberIdOf(observed.removedMachines?.[vm.vmid]) === undefined ? 1 : 2;
  };
  return [...vms].sort((a, b) => rank(a) - rank(b) || a.vmid - b.vmid);
}

/** Without etcd's list nothing says which member the machine is, and its VM would go while the others still count on it. */
function unreadMembers(context: Draft, vm: ObservedVm): Problem[] {
  if (!context.machines || resetsEtcd(context) || livingEtcd(context).state === 'living') return [];
  if (!mayHaveEtcd(vm, context.observed)) return [];
  return [
    {
      code: 'members-unread',
      scope: 'node',
      message: `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml and may be an etcd member, and the list of members could not be read`,
      advice: 'run plan again when a control plane answers, or add the node to oxherd.yaml again',
    },
  ];
}

/** A machine that does not answer may be a member that no other machine is. */
function unclearMember(vm: ObservedVm, members: Members, observed: Observed): Problem[] {
  if (memberOf(vm, members) || observed.removedMachines?.[vm.vmid]?.details.known) return [];
  const nodes = observed.kubernetes?.nodes;
  // It is in the cluster under another name than that of the member.
  if (objectsOf(uuidOfVm(vm), nodes?.known ? nodes.value : []).length > 0) return [];
  const open = orphansOf(members, observed);
  if (open.length === 0) return [];
  return [
    {
      code: 'member-unclear',
      scope: 'node',
      message: `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml, and it may be etcd member ${open.map(printMember).join(' or ')}: its machine does not answer`,
      advice: `start VM ${vm.vmid} and run apply again, or add the node to oxherd.yaml again`,
    },
  ];
}

/** Members that are no machine of this cluster, and that do not answer either. */
function orphansOf({ listed, owners }: Members, { foreignMembers = [] }: Observed): EtcdMember[] {
  return listed.filter(({ id }) => !owners.has(id) && !foreignMembers.includes(id));
}

function printMember({ id, hostname }: EtcdMember): string {
  return hostname === '' ? id : `${id} (${hostname})`;
}

function ownsData({ code }: Problem): boolean {
  return code === 'removed-node-owns-data';
}

/** Members whose VM is gone without a trace: the others would count on them for ever. */
function planOrphans(context: Draft, members: Members): void {
  const { list, design, observed, problems, notes } = context;
  const unclear = problems.some(({ code }) => code === 'member-unclear');
  for (const member of members.listed.filter(({ id }) => !members.owners.has(id))) {
    if (observed.foreignMembers?.includes(member.id))
      notes.push({
        code: 'left-alone',
        message: `etcd member ${printMember(member)} answers, and is no VM of this cluster that oxherd can see: it is left unchanged`,
      });
    else if (observed.vms.unlisted !== undefined)
      problems.push({
        code: 'member-unseen',
        scope: 'node',
        message: `etcd member ${printMember(member)} is no VM of this cluster that oxherd can see: ${observed.vms.unlisted}`,
        advice: `let the token audit all VMs (VM.Audit on /vms) and run apply again; if its VM is gone for good: talosctl etcd remove-member ${member.id}`,
      });
    else if (!unclear) {
      const before = stepsBefore(list, 'controlplane');
      list.add(member.id, {
        kind: 'remove-member',
        title: `remove member ${printMember(member)} from etcd`,
        reasons: ['no VM of this cluster is its machine, and nothing answers at its address'],
        impact: 'remove',
        needs: [...before, planSnapshot(context, before)],
        memberId: member.id,
        members: members.listed.map(({ id }) => id),
        addresses: member.addresses ?? [],
        staying: stayingControlPlanes(design),
      });
      const object = leftObject(context, member, undefined);
      if (object)
        list.add(object.name, {
          kind: 'forget-node',
          title: `remove the node object ${object.name} from Kubernetes`,
          reasons: ['no VM of this cluster is its machine'],
          impact: 'remove',
          needs: [list.idOf('remove-member', member.id)],
          name: object.name,
          uuid: object.systemUuid.toLowerCase(),
        });
    }
  }
}

/** Layout `single`: the VM owns its data and stays. It leaves the cluster and is off before someone destroys it. */
function planDeparture(context: Draft, vm: ObservedVm, policy: RemovalPolicy, members: Members): void {
  const retire = planRetirement(context, vm, policy, members);
  if (vm.status !== 'stopped')
    context.list.add(String(vm.vmid), {
      kind: 'stop-vm',
      node: vm.name,
      title: `shut down VM ${vm.vmid} (${vm.name})`,
      reasons: ['a control plane that boots again joins etcd again'],
      impact: 'remove',
      needs: [retire],
      load: { host: vm.host },
      vmid: vm.vmid,
      host: vm.host,
    });
  context.notes.push({
    code: 'left-alone',
    message: `VM ${vm.vmid} (${vm.name}) owns its disks and is kept; when it has left the cluster, destroy it: qm destroy ${vm.vmid}`,
  });
}

/** It goes only with nothing on it but its system disk, and with its data seen on a data VM. */
function whyItStays(context: PlanContext, vm: ObservedVm, view: VmView): Problem[] {
  const blockers = blockersOf(context, view).map(
    ({ why, advice }): Problem => ({
      code: 'foreign-drive',
      scope: 'node',
      message: `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml, but cannot be removed: ${why}`,
      advice,
    }),
  );
  const apart = keepsDataApart(context, vm);
  const data = claimsOf(context, view).filter(
    ({ owned, claim }) => owned && (claim === 'kept' || (claim === 'system' && !apart)),
  );
  if (data.length === 0) return blockers;
  return [
    ...blockers,
    {
      code: 'removed-node-owns-data',
      scope: 'node',
      message: `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml, but it owns its disks (${data.map(({ volid }) => volid).join(', ')}): removing it would destroy them`,
      advice: `add the node to oxherd.yaml again, or destroy the VM: qm destroy ${vm.vmid}`,
    },
  ];
}

function unread(vm: ObservedVm, { hosts }: Pick<Observed, 'hosts'>): Problem {
  const advice = 'run plan again when its host answers';
  return {
    code: 'removed-node-owns-data',
    scope: 'node',
    message: `VM ${vm.vmid} (${vm.name}) is not in oxherd.yaml and could not be read`,
    advice: hosts[vm.host]?.online === true ? advice : `${advice}; ${lostAdvice(vm.host)}`,
  };
}

/** Parts of Kubernetes change once the nodes that go are gone: none of them is left behind by two versions. */
function partsAfterRemovals({ list }: Draft): void {
  const gone = list.steps
    .filter((step) => step.kind === 'destroy-talos-vm' || step.kind === 'retire-node')
    .map((step) => step.id);
  const parts = list.steps.filter(isPart);
  if (gone.length === 0 || parts.length === 0) return;
  const ids = new Set(parts.map((step) => step.id));
  const first = parts.filter((step) => !step.needs.some((need) => ids.has(need))).map((step) => step.id);
  for (const id of gone) list.addNeeds(first, id);
  list.sortByNeeds();
}

/** One after the other, and after everything else that takes a node away. */
function planRetirement(context: Draft, vm: ObservedVm, policy: RemovalPolicy, members: Members): string {
  const { list, design, observed } = context;
  const dataVmid = dataVmidOf(vm.vmid);
  const data = visibleVm(observed, dataVmid);
  const member = memberOf(vm, members);
  const role = member || mayBeControlPlane(vm, observed) ? 'controlplane' : 'worker';
  const ip = observed.removedMachines?.[vm.vmid]?.address ?? staticAddressOf(vm);
  const uuid = uuidOfVm(vm);
  const before = stepsBefore(list, role);
  // Always, however fresh the last one is: this member does not come back.
  const snapshot = role === 'controlplane' ? planSnapshot(context, before) : undefined;
  return list.add(String(vm.vmid), {
    kind: 'retire-node',
    node: vm.name,
    title: `take ${vm.name} from the cluster`,
    reasons: [
      role === 'controlplane'
        ? 'cordon, drain, leave etcd, remove the node object'
        : 'cordon, drain, remove the node object',
    ],
    impact: 'remove',
    needs: [...before, snapshot],
    load: { host: vm.host },
    vmid: vm.vmid,
    ...(uuid !== undefined && { uuid }),
    ...(member && { memberId: member.id }),
    // A worker leaves no etcd: its step is the same whether or not etcd could be asked.
    members: role === 'controlplane' ? members.listed.map(({ id }) => id) : [],
    ...(ip !== undefined && { ip }),
    role,
    ...(data?.tags.includes(DATA_TAG) && { dataVm: { vmid: data.vmid, host: data.host } }),
    staying: stayingControlPlanes(design),
    ...countedNodes(design.nodes, observed),
    ...withoutApi(observed),
    gates: policy.gates,
    drain: policy.drain,
  });
}

/** What takes nodes away comes first, and control planes that join are there to be counted. */
function stepsBefore(list: PlanContext['list'], role: Role): string[] {
  return list.steps
    .filter(
      (step) =>
        step.kind === 'end-disruption' ||
        restartsComponent(step) ||
        step.kind === 'destroy-talos-vm' ||
        (role === 'controlplane' && step.kind === 'await-machine' && step.role === 'controlplane'),
    )
    .map((step) => step.id);
}

function stayingControlPlanes(design: Design) {
  return design.nodes
    .filter((node) => node.role === 'controlplane')
    .map((node) => ({ name: node.name, ip: node.ip }));
}

/** The Node object of a member whose VM is gone: by uuid, else by name, if no node of oxherd.yaml is that machine. */
function leftObject(
  { design, observed }: Draft,
  { hostname }: EtcdMember,
  uuid: string | undefined,
): KubeNode | undefined {
  const nodes = observed.kubernetes?.nodes;
  const objects = nodes?.known ? nodes.value : [];
  const [own] = objectsOf(uuid, objects);
  if (own) return own;
  const named = kubeNodeOf(hostname, objects);
  const staying = design.nodes.flatMap((node) => {
    const vm = visibleVm(observed, node.talosVm.vmid);
    return (vm && uuidOfVm(vm)) ?? uuidOf(node) ?? [];
  });
  return named && named.systemUuid !== '' && !staying.includes(named.systemUuid) ? named : undefined;
}

/** Its VM went without leaving etcd: the others still count on it. */
function planLeftMember(context: Draft, data: ObservedVm, policy: RemovalPolicy, members: Members): void {
  const { list, design, observed } = context;
  const name = data.name.replace(/-data$/, '');
  const talosVmid = talosVmidOf(data.vmid);
  const member = memberOf({ vmid: talosVmid }, members);
  // Its note decides nothing: it is written before the member leaves.
  if (!isAbsent(observed, talosVmid) || !member) return;
  const object = leftObject(context, member, members.owners.get(member.id)?.uuid);
  const before = stepsBefore(list, 'controlplane');
  list.add(String(data.vmid), {
    kind: 'retire-node',
    node: name,
    title: `take ${name} from the cluster`,
    reasons: [
      `its VM ${talosVmid} no longer exists, but etcd still has member ${member.id}; its data VM is kept`,
    ],
    impact: 'remove',
    needs: [...before, planSnapshot(context, before)],
    load: { host: data.host },
    vmid: data.vmid,
    ...(object && { uuid: object.systemUuid.toLowerCase() }),
    memberId: member.id,
    members: members.listed.map(({ id }) => id),
    role: 'controlplane',
    dataVm: { vmid: data.vmid, host: data.host },
    staying: stayingControlPlanes(design),
    ...countedNodes(design.nodes, observed),
    ...withoutApi(observed),
    gates: policy.gates,
    drain: policy.drain,
  });
}
