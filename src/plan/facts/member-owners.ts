/**
 * Which machine each member of etcd's list is. What a machine says of itself decides, then the SMBIOS uuid of the Node
 * object, then the address of its peers. Names come last: people rename VMs, and a new node may have the name of an old one.
 */

import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { smbiosUuidOf } from '../../formats/marks/identities.js';
import { uuidOfVm } from '../../formats/proxmox/smbios-uuid.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { parseVmid, talosVmidOf } from '../../model/identity.js';
import { isMemberOf } from '../../model/node-names.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { type EtcdMember, type ObservedMachine, roleOfMachine } from '../../observe/observed-machines.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';
import { addressNow } from './address-now.js';
import { objectsOf, removedVms } from './removed-vms.js';
import { uuidOf } from './renamed-nodes.js';

type Seen = Pick<PlanContext, 'design' | 'observed'>;

/** A machine that may be a member: of a node in oxherd.yaml, or of a VM or data VM that it does not have. */
export interface Candidate {
  /** Of the Talos VM, whether or not it exists. */
  readonly vmid: number;
  /** Absent: oxherd.yaml does not have it. */
  readonly node?: string;
  readonly name: string;
  readonly uuid?: string;
  readonly address?: string;
  readonly machine?: ObservedMachine;
  /** Its VM is gone or was never there. */
  readonly absent: boolean;
}

/** Member id to its machine; a member that is missing here is no machine of this cluster that oxherd knows. */
export function memberOwners(seen: Seen, members: readonly EtcdMember[]): ReadonlyMap<string, Candidate> {
  const owners = new Map<string, Candidate>();
  const candidates = candidatesIn(seen);
  const nodes = seen.observed.kubernetes?.nodes;
  const objects = nodes?.known ? nodes.value : [];
  const evidence: readonly ((member: EtcdMember, one: Candidate) => boolean)[] = [
    ({ id }, { machine }) => memberIdOf(machine) === id,
    ({ hostname }, { uuid }) => objectsOf(uuid, objects).some(({ name }) => isMemberOf(name, hostname)),
    ({ addresses = [] }, { address }) => address !== undefined && addresses.includes(address),
    ({ hostname }, { name }) => isMemberOf(name, hostname),
  ];
  for (const matches of evidence) {
    for (const member of members) {
      if (owners.has(member.id)) continue;
      const taken = new Set([...owners.values()].map(({ vmid }) => vmid));
      const found = candidates.filter((one) => !taken.has(one.vmid) && matches(member, one));
      const owner = onlyOne(found.filter((one) => memberIdOf(one.machine) === member.id || mayBe(one)));
      if (owner) owners.set(member.id, owner);
    }
  }
  return owners;
}

/** Of a new node and the old one whose name or address it was given, the one whose VM exists; else the old one. */
function onlyOne(found: readonly Candidate[]): Candidate | undefined {
  const [first] = found;
  if (found.length <= 1) return first;
  const there = found.filter(({ absent }) => !absent);
  if (there.length > 0) return there.length === 1 ? there[0] : undefined;
  const left = found.filter(({ node }) => node === undefined);
  return left.length === 1 ? left[0] : undefined;
}

/** A machine that answered has said which member it is, or that it is a worker. */
function mayBe({ machine }: Candidate): boolean {
  return memberIdOf(machine) === undefined && roleOfMachine(machine) !== 'worker';
}

export function memberIdOf(machine: ObservedMachine | undefined): string | undefined {
  const etcd = machine?.details.known ? machine.details.value.etcd : undefined;
  return etcd?.known ? etcd.value.memberId : undefined;
}

function candidatesIn({ design, observed }: Seen): Candidate[] {
  // Also nodes that oxherd.yaml has as workers: the machine may still be the control plane that it was.
  const inFile = design.nodes.map((node): Candidate => {
    const vm = visibleVm(observed, node.talosVm.vmid);
    const uuid = (vm && uuidOfVm(vm)) ?? uuidOf(node);
    const machine = observed.machines[node.name];
    return {
      vmid: node.talosVm.vmid,
      node: node.name,
      name: node.name,
      ...(uuid !== undefined && { uuid }),
      address: addressNow(node, observed),
      ...(machine && { machine }),
      absent: isAbsent(observed, node.talosVm.vmid),
    };
  });
  return [...inFile, ...removedVms(design, observed).flatMap((vm) => removedCandidate(vm, design, observed))];
}

function removedCandidate(vm: ObservedVm, design: Seen['design'], observed: Observed): Candidate[] {
  if (!vm.tags.includes(DATA_TAG)) {
    const machine = observed.removedMachines?.[vm.vmid];
    const uuid = uuidOfVm(vm);
    const address = machine?.address ?? staticAddressOf(vm);
    return [
      {
        vmid: vm.vmid,
        name: vm.name,
        ...(uuid !== undefined && { uuid }),
        ...(address !== undefined && { address }),
        ...(machine && { machine }),
        absent: false,
      },
    ];
  }
  const vmid = parseVmid(talosVmidOf(vm.vmid));
  if (vmid === undefined || visibleVm(observed, vmid)) return [];
  const name = vm.name.replace(/-data$/, '');
  return [{ vmid, name, uuid: smbiosUuidOf(design.cluster, vmid), absent: isAbsent(observed, vmid) }];
}
