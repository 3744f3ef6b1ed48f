/** Nodes that oxherd.yaml no longer names: out of the cluster first, then the Talos VM goes; the data VM stays. */

import type { Role } from '../../config/config-values.js';
import type { PolicyConfig } from '../../config/policy-config.js';
import type { Design } from '../../design/design.js';
import { sidOf } from '../../design/ha.js';
import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { dataVmidOf, talosVmidOf } from '../../model/identity.js';
import { isMemberOf } from '../../model/node-names.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import { blockersOf, claimsOf, keepsDataApart } from '../drives/claims.js';
import { countedNodes, withoutApi } from '../facts/cluster-nodes.js';
import { secretsNeeded } from '../facts/deletion-rights.js';
import { livingEtcd } from '../facts/members.js';
import { isProved, unproved } from '../facts/proved-vm.js';
import { isControlPlaneVm, removedVms } from '../facts/removed-vms.js';
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
    for (const vm of removedVms(design, observed)) {
      if (vm.tags.includes(DATA_TAG)) {
        notes.push({
          code: 'parked',
          message: `data VM ${vm.vmid} (${vm.name}) on ${vm.host} is kept: its node is not in oxherd.yaml`,
        });
        if (context.machines) planLeftMember(context, vm, policy);
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
          ? whyItStays(context, vm, view)
          : [unread(vm, observed)];
      if (!view || refused.length > 0) {
        problems.push(...refused);
        continue;
      }
      const dataVmid = dataVmidOf(vm.vmid);
      const retire = context.machines && planRetirement(context, vm, policy);
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
    partsAfterRemovals(context);
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
function planRetirement(context: Draft, vm: ObservedVm, policy: RemovalPolicy): string {
  const { list, design, observed } = context;
  const dataVmid = dataVmidOf(vm.vmid);
  const data = visibleVm(observed, dataVmid);
  const role = isControlPlaneVm(vm) ? 'controlplane' : 'worker';
  const ip = staticAddressOf(vm);
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

/** Its VM went without leaving etcd: the others still count on it. */
function planLeftMember(context: Draft, data: ObservedVm, policy: RemovalPolicy): void {
  const { list, design, observed } = context;
  const name = data.name.replace(/-data$/, '');
  const talosVmid = talosVmidOf(data.vmid);
  const note = parseDataNotes(vmView(data)?.effective.description ?? '').etcd;
  const etcd = livingEtcd(context);
  if (!isAbsent(observed, talosVmid) || note?.state !== 'member' || etcd.state !== 'living') return;
  const member = etcd.members.find((one) => isMemberOf(name, one.hostname));
  if (!member) return;
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
    role: 'controlplane',
    dataVm: { vmid: data.vmid, host: data.host },
    staying: stayingControlPlanes(design),
    ...countedNodes(design.nodes, observed),
    ...withoutApi(observed),
    gates: policy.gates,
    drain: policy.drain,
  });
}
