/**
 * A host that never comes back: what of its VMs is lost, what can be taken over, and what root has to do, since the API
 * of a dead host cannot move its configs. A config on shared storage is moved; one whose disks died with the host goes.
 */

import type { Design, NodeDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { notedHost } from '../../formats/marks/host-note.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm, withoutVms } from '../../observe/observed-vms.js';
import { drainOf, ownerVm } from '../facts/drained-nodes.js';
import { mayBeControlPlane, removedVms } from '../facts/removed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';
import { hostResourceProblems } from '../vms/check-host-resources.js';
import { nodeOn } from '../vms/node-host.js';
import { memoryOf } from './decide-drain.js';
import { HostRoom } from './host-room.js';
import { isLost, isShared, lostVolumes, mainDrive, mayHaveSharedVolume } from './lost-volumes.js';
import { isStranded } from './stranded-vms.js';

export interface LostNode {
  readonly node: string;
  readonly role: NodeDesign['role'];
  /** `taken-over`: its data is on shared storage. `replaced`: a new VM, and a new member of etcd. `removed`: not in oxherd.yaml. */
  readonly way: 'taken-over' | 'replaced' | 'removed';
  /** Absent: it is not made again. */
  readonly to?: string;
  /** Its Talos VM is made again: Kubernetes forgets the old one. */
  readonly newVm: boolean;
  /** EPHEMERAL, and with it the member of etcd, is lost. */
  readonly newMember: boolean;
}

export interface HostLoss {
  readonly host: string;
  readonly nodes: readonly LostNode[];
  /** Nodes of oxherd.yaml that were there, also once their configs are elsewhere. */
  readonly concerned: readonly string[];
  /** By name: `work-2/longhorn`, or of a PersistentVolume. */
  readonly lost: readonly string[];
  /** To be run by root on any host that is up, in this order; empty: no config is left on the lost host. */
  readonly commands: readonly string[];
}

export function hostLoss(
  design: Design,
  observed: Observed,
  host: string,
): { readonly loss: HostLoss; readonly problems: readonly Problem[] } {
  const there = lostNodes(design, observed, host);
  const { targets, problems } = placesFor(design, observed, host, there);
  const nodes: LostNode[] = [];
  const commands: string[] = [];
  for (const node of there) {
    const to = targets.get(node.name);
    if (to === undefined) continue;
    nodes.push(lostNode(node, observed, host, to));
    commands.push(...commandsFor(node, observed, host, to));
  }
  for (const vm of removedVms(design, observed).filter((one) => one.host === host)) {
    nodes.push(...removedNode(vm, observed));
    commands.push(...removedCommands(vm, observed, host));
  }
  const lost = lostVolumes(design, observed, host, there);
  return {
    loss: {
      host,
      concerned: concernedNodes(design, observed, host).map(({ name }) => name),
      nodes: nodes.sort((a, b) => rank(a) - rank(b) || compareNaturally(a.node, b.node)),
      lost,
      commands: commands.sort(compareNaturally),
    },
    problems,
  };
}

/** Where each node goes: to the host that one of its VMs has reached, or where there is room. */
export function placesFor(
  design: Design,
  observed: Observed,
  host: string,
  nodes: readonly NodeDesign[],
): { readonly targets: ReadonlyMap<string, string>; readonly problems: readonly Problem[] } {
  const room = new HostRoom(design, withoutRemoved(observed, nodes, host), host);
  const targets = new Map<string, string>();
  const problems: Problem[] = [];
  for (const node of [...nodes].sort(
    (a, b) => memoryOf(b) - memoryOf(a) || compareNaturally(a.name, b.name),
  )) {
    const place = room.placeFor(node);
    if (!('host' in place)) {
      problems.push(noRoom(node, place.why));
      continue;
    }
    room.take(place.host, node);
    problems.push(...hostResourceProblems(nodeOn(node, place.host), observed));
    targets.set(node.name, place.host);
  }
  return { targets, problems };
}

/** With a VM there that Proxmox still lists, or one that HA has recovered without its disks. */
function lostNodes(design: Design, observed: Observed, host: string): NodeDesign[] {
  return concernedNodes(design, observed, host).filter((node) =>
    vmidsOf(node).some((vmid) => visibleVm(observed, vmid)?.host === host || isStranded(observed, vmid)),
  );
}

/** Nothing follows a config that root removes. */
function withoutRemoved(observed: Observed, nodes: readonly NodeDesign[], host: string): Observed {
  const removed = new Set(
    nodes.flatMap((node) =>
      vmidsOf(node).filter((vmid) => isStranded(observed, vmid) && !keepsConfig(node, vmid, observed, host)),
    ),
  );
  return { ...observed, vms: withoutVms(observed.vms, removed) };
}

/** Nodes that the loss concerns also once their configs are elsewhere, or gone. */
export function concernedNodes(design: Design, observed: Observed, host: string): NodeDesign[] {
  return design.nodes.filter((node) => {
    const vms = vmidsOf(node).flatMap((vmid) => visibleVm(observed, vmid) ?? []);
    if (vms.length === 0) return node.host === host;
    const owner = ownerVm(node, observed) ?? vms[0];
    const view = owner && vmView(owner);
    return (
      vms.some((vm) => vm.host === host) ||
      drainOf(node, observed)?.host === host ||
      (view !== undefined && notedHost(view.effective.description ?? '') === host) ||
      (!ownerVm(node, observed) && node.host === host)
    );
  });
}

function lostNode(node: NodeDesign, observed: Observed, host: string, to: string): LostNode {
  const { vmid } = node.talosVm;
  const main = mainDrive(node);
  const dataLost = main !== undefined && isLost(node, main, observed, host);
  const on = visibleVm(observed, vmid)?.host;
  const newVm = (on === host || isStranded(observed, vmid)) && !keepsConfig(node, vmid, observed, host);
  return {
    node: node.name,
    role: node.role,
    way: dataLost ? 'replaced' : 'taken-over',
    to,
    newVm,
    newMember: dataLost,
  };
}

/** Configs still on the lost host, or elsewhere without their disks, each with what becomes of it. */
function commandsFor(node: NodeDesign, observed: Observed, host: string, to: string): string[] {
  return vmidsOf(node).flatMap((vmid) => {
    const on = visibleVm(observed, vmid)?.host;
    if (on === undefined || (on !== host && !isStranded(observed, vmid))) return [];
    if (!keepsConfig(node, vmid, observed, host)) return removeCommands(vmid, observed, on);
    return on === to ? [] : [moveCommand(vmid, on, to)];
  });
}

/** A Talos VM without its own disks is made again; a VM with data stays as long as it may have a volume that others see. */
function keepsConfig(node: NodeDesign, vmid: number, observed: Observed, host: string): boolean {
  if (vmid !== node.talosVm.vmid) return keepsSharedData(node, vmid, observed);
  const main = mainDrive(node);
  // What HA brought without its cloud-init drive still has its data.
  if (isStranded(observed, vmid))
    return !node.dataVm && main !== undefined && !isLost(node, main, observed, host);
  return talosMoves(node, observed) || (!node.dataVm && keepsSharedData(node, vmid, observed));
}

/** Its system disk and everything that was made with it can be seen from other hosts. */
function talosMoves(node: NodeDesign, observed: Observed): boolean {
  const storages = [
    ...node.drives.filter((drive) => drive.owner === node.talosVm.vmid).map((drive) => drive.storage),
    ...Object.values(node.talosVm.auxiliary).flatMap((drive) => ('storage' in drive ? [drive.storage] : [])),
  ];
  return storages.every((storage) => isShared(observed, storage));
}

function keepsSharedData(node: NodeDesign, vmid: number, observed: Observed): boolean {
  const own = node.drives.filter((drive) => drive.owner === vmid);
  return own.some((drive) => isShared(observed, drive.storage)) || mayHaveSharedVolume(observed, vmid);
}

function moveCommand(vmid: number, host: string, to: string): string {
  const file = `qemu-server/${vmid}.conf`;
  return `mv /etc/pve/nodes/${host}/${file} /etc/pve/nodes/${to}/${file}`;
}

function removeCommands(vmid: number, { taken }: Observed, host: string): string[] {
  return [
    ...(taken[vmid]?.ha === undefined ? [] : [`ha-manager remove vm:${vmid}`]),
    `rm /etc/pve/nodes/${host}/qemu-server/${vmid}.conf`,
  ];
}

function removedNode(vm: ObservedVm, observed: Observed): LostNode[] {
  if (vm.tags.includes(DATA_TAG)) return [];
  return [
    {
      node: vm.name,
      role: mayBeControlPlane(vm, observed) ? 'controlplane' : 'worker',
      way: 'removed',
      newVm: true,
      newMember: true,
    },
  ];
}

function removedCommands(vm: ObservedVm, observed: Observed, host: string): string[] {
  const kept = mayHaveSharedVolume(observed, vm.vmid);
  const up = Object.values(observed.hosts).filter(({ name, online }) => online && name !== host);
  const [to] = up.map(({ name }) => name).sort(compareNaturally);
  return kept && to !== undefined
    ? [moveCommand(vm.vmid, host, to)]
    : removeCommands(vm.vmid, observed, host);
}

function noRoom(node: NodeDesign, why: string): Problem {
  return {
    code: 'no-room',
    scope: 'plan',
    node: node.name,
    message: `${node.name} has nowhere to go: ${why}`,
    advice: 'make room there, or remove the node from oxherd.yaml',
  };
}

function vmidsOf({ talosVm, dataVm }: NodeDesign): number[] {
  return [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])];
}

/** Those that have to leave etcd first. */
function rank({ role }: LostNode): number {
  return role === 'controlplane' ? 0 : 1;
}
