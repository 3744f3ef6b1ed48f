/** Which nodes a host carries, and which were drained from it. */

import type { Design, NodeDesign } from '../../design/design.js';
import { type DrainNote, notedDrain } from '../../formats/marks/drain-note.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { vmView } from './view-of-vm.js';

/** With at least one of its two VMs there. */
export function nodesOnHost(design: Design, observed: Observed, host: string): NodeDesign[] {
  return design.nodes.filter((node) => vmsOf(node, observed).some((vm) => vm.host === host));
}

/** Moved away from it, or off until it returns. */
export function nodesDrainedFrom(design: Design, observed: Observed, host: string): NodeDesign[] {
  return design.nodes.filter((node) => drainOf(node, observed)?.host === host);
}

/** The note on the VM that owns the node's disks. */
export function drainOf(node: NodeDesign, observed: Observed): DrainNote | undefined {
  const owner = ownerVm(node, observed);
  const view = owner && vmView(owner);
  return view && notedDrain(view.effective.description ?? '');
}

export function ownerVm({ dataVm, talosVm }: NodeDesign, observed: Observed): ObservedVm | undefined {
  return visibleVm(observed, (dataVm ?? talosVm).vmid);
}

/** Its host is drained and it did not go elsewhere: it is off, or about to be, until that host returns. */
export function staysOff(node: NodeDesign, observed: Observed): boolean {
  const drain = drainOf(node, observed);
  return drain !== undefined && vmsOf(node, observed).every((vm) => vm.host === drain.host);
}

/** Hosts that nodes were drained from: nothing is moved there until they return. */
export function drainedHosts(design: Design, observed: Observed): ReadonlySet<string> {
  return new Set(design.nodes.flatMap((node) => drainOf(node, observed)?.host ?? []));
}

/**
 * Nodes that are off on purpose, by name. While their host reboots their VMs cannot be read: then other nodes tell that it
 * is drained, or the reason that the node was cordoned with.
 */
export function offForMaintenance(design: Design, observed: Observed): ReadonlyMap<string, DrainNote> {
  const away = drainedHosts(design, observed);
  const known = observed.kubernetes?.nodes;
  return new Map(
    design.nodes.flatMap((node): [string, DrainNote][] => {
      const note = drainOf(node, observed);
      if (note) return staysOff(node, observed) ? [[node.name, note]] : [];
      const host = visibleVm(observed, node.talosVm.vmid)?.host ?? node.host;
      const object = known?.known ? kubeNodeOf(node.name, known.value) : undefined;
      const isDown = observed.hosts[host]?.online === false;
      return isDown && (away.has(host) || object?.drained === true) ? [[node.name, { host }]] : [];
    }),
  );
}

function vmsOf({ dataVm, talosVm }: NodeDesign, observed: Observed): ObservedVm[] {
  return [talosVm.vmid, dataVm?.vmid].flatMap((vmid) => visibleVm(observed, vmid) ?? []);
}
