/**
 * Where a node belongs. Its host in oxherd.yaml is an intent, not an identity: a VM that a person or HA has moved is
 * followed. It is moved only where oxherd.yaml names another host than the one that was noted when it was last applied,
 * or where its two VMs have come apart, as a move that was cut off leaves them.
 */

import type { Design, NodeDesign } from '../../design/design.js';
import { distinctImages } from '../../design/images.js';
import { type DrainNote, withDrainNote } from '../../formats/marks/drain-note.js';
import { notedHost, withHostNote } from '../../formats/marks/host-note.js';
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { drainOf } from '../facts/drained-nodes.js';
import { drivesOwnedBy, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import { imageOf } from './plan-images.js';

export interface HostDecision {
  /** Where the node is when the plan is done. */
  readonly host: string;
  /** Absent: nothing has to move. */
  readonly move?: { readonly from: string; readonly why: string };
  /** The node is elsewhere than oxherd.yaml says, and stays there. */
  readonly followed?: boolean;
  /** It was moved away while its host is in maintenance. */
  readonly drained?: DrainNote;
}

export function resolveHost(node: NodeDesign, observed: Observed): HostDecision {
  const talos = visibleVm(observed, node.talosVm.vmid);
  const data = node.dataVm && visibleVm(observed, node.dataVm.vmid);
  const owner = data ?? talos;
  if (!owner) return { host: node.host };
  // A host that is down tells no notes: no one knows whether oxherd.yaml asks for a move.
  if (!owner.config.known) return { host: owner.host };
  const noted = noteOf(owner);
  const apart = talos !== undefined && data !== undefined && talos.host !== data.host;
  if (owner.host === node.host && !apart) return { host: node.host };
  // A VM without a note may be anywhere for any reason.
  if (noted !== undefined && noted !== node.host) {
    const from = talos && talos.host !== node.host ? talos.host : owner.host;
    return { host: node.host, move: { from, why: `host ${noted} → ${node.host}` } };
  }
  if (apart) return together(node, observed, talos, data);
  const drained = drainOf(node, observed);
  if (drained) return { host: owner.host, drained };
  return { host: owner.host, followed: true };
}

/** HA moves the VM that runs and knows nothing of the other one: that one follows, where its disks let it. */
function together(node: NodeDesign, observed: Observed, talos: ObservedVm, data: ObservedVm): HostDecision {
  const why = `VM ${talos.vmid} is on ${talos.host}, its data VM ${data.vmid} on ${data.host}`;
  const view = vmView(data);
  const shared = view?.drives.every(
    (drive) => observed.storages[`${data.host}/${storageOfVolume(drive.file)}`]?.shared === true,
  );
  if (shared) {
    const followed = talos.host !== node.host;
    return { host: talos.host, move: { from: data.host, why }, ...(followed && { followed }) };
  }
  const host = talos.host === node.host ? talos.host : data.host;
  const from = host === talos.host ? data.host : talos.host;
  return { host, move: { from, why }, ...(host !== node.host && { followed: true }) };
}

function noteOf(vm: ObservedVm): string | undefined {
  const view = vmView(vm);
  return view && notedHost(view.effective.description ?? '');
}

/** The node as it will stand on that host. */
export function nodeOn(node: NodeDesign, host: string): NodeDesign {
  if (host === node.host) return node;
  return {
    ...node,
    host,
    talosVm: { ...node.talosVm, host },
    ...(node.dataVm && { dataVm: { ...node.dataVm, host } }),
  };
}

/** By the name of the node. */
export type ResolvedHosts = ReadonlyMap<string, HostDecision>;

/** Decided once, before planning. */
export function resolveHosts({ nodes }: Design, observed: Observed): ResolvedHosts {
  return new Map(nodes.map((node) => [node.name, resolveHost(node, observed)]));
}

/**
 * The design with every node on the host where it will be: what names the host, such as zone labels, follows it, and so
 * does the image that its system disk is made from.
 */
export function withHosts(design: Design, hosts: ResolvedHosts): Design {
  const nodes = design.nodes.map((node) => nodeOn(node, hosts.get(node.name)?.host ?? node.host));
  if (nodes.every((node, index) => node === design.nodes[index])) return design;
  const images = nodes.flatMap((node, index) => {
    const named = design.nodes[index];
    const image = named && imageOf(design, named);
    return image ? [{ ...image, host: node.host }] : [];
  });
  return { ...design, nodes, images: distinctImages(images) };
}

/** Disks of the data VM that the Talos VM has and that another host does not see. */
export function localForeignDrives(node: NodeDesign, observed: Observed) {
  const talos = visibleVm(observed, node.talosVm.vmid);
  const view = talos && vmView(talos);
  if (!talos || !view || !node.dataVm) return [];
  return drivesOwnedBy(view, node.dataVm.vmid).filter(
    (drive) => observed.storages[`${talos.host}/${storageOfVolume(drive.file)}`]?.shared !== true,
  );
}

/** A VM's description with the host that oxherd.yaml names, wherever the VM is. */
export function hostNoteFor(
  { namedHosts, observed }: Pick<PlanContext, 'namedHosts' | 'observed'>,
  node: NodeDesign,
  description: string | number | undefined,
): string {
  const named = namedHosts.get(node.name) ?? node.host;
  const text = withHostNote(description === undefined ? undefined : String(description), named);
  // Until its host returns; a file that names another host since then has decided otherwise.
  const drained = drainOf(node, observed);
  const owner = visibleVm(observed, (node.dataVm ?? node.talosVm).vmid);
  return drained && owner && noteOf(owner) === named ? withDrainNote(text, drained) : text;
}
