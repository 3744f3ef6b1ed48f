/**
 * Another firmware (`bios`). A Talos disk image carries two boot loaders, and its first boot deletes the one that it was not
 * started with: a system disk starts with one firmware only, so another one comes with a new system disk.
 */
import type { AuxiliaryDrive, NodeDesign } from '../../design/design.js';
import { appliedMarks } from '../../formats/marks/applied-note.js';
import { sameVmOption } from '../../formats/proxmox/vm-option.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { optionAuthors } from '../drift/drift-authors.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';
import { lacksSystemDisk } from './plan-system-disk.js';

/** Written together with the new system disk, so that no VM ever has one without the other. */
export interface NewFirmware {
  readonly from: string;
  readonly to: string;
  readonly add: Readonly<Record<string, AuxiliaryDrive>>;
  /** Helper drives of the old firmware. */
  readonly remove: readonly string[];
}

/** The system disk of this node cannot start with the firmware of oxherd.yaml. */
export function needsNewFirmware(node: NodeDesign, observed: Observed): boolean {
  const vm = visibleVm(observed, node.talosVm.vmid);
  const view = vm && vmView(vm);
  if (!view || lacksSystemDisk(node, observed)) return false;
  return differs(node, view) && !isOnlyWritten(node, view, observed);
}

export function newFirmware(node: NodeDesign, view: VmView): NewFirmware | undefined {
  if (!differs(node, view)) return undefined;
  const { options, auxiliary } = node.talosVm;
  const efi = Object.entries(auxiliary).filter(([slot]) => slot === 'efidisk0');
  return {
    from: firmwareNow(view),
    to: String(options.bios),
    add: view.effective.efidisk0 === undefined ? Object.fromEntries(efi) : {},
    remove: efi.length === 0 && view.effective.efidisk0 !== undefined ? ['efidisk0'] : [],
  };
}

function differs({ talosVm }: NodeDesign, view: VmView): boolean {
  return !sameVmOption('bios', firmwareNow(view), talosVm.options.bios);
}

/** What the machine was started with; a change that waits for the next start has done nothing yet. */
function firmwareNow({ vm, state, effective }: VmView): string {
  return (vm.status === 'running' ? state.values.bios : effective.bios) ?? 'seabios';
}

/** Changed by hand, and the machine has not come up with it: its system disk still fits oxherd.yaml. */
function isOnlyWritten(node: NodeDesign, view: VmView, { machines }: Observed): boolean {
  const { options } = node.talosVm;
  const authors = optionAuthors(view, options, appliedMarks(view.effective.description));
  const by = authors.of('bios', { from: firmwareNow(view), to: String(options.bios) });
  return by === 'hand' && machines[node.name]?.details.known !== true;
}

/** With the layout `single` the system disk holds the data. */
export function firmwareProblem(node: NodeDesign): Problem {
  return {
    code: 'bios',
    scope: 'node',
    node: node.name,
    message: `bios of ${node.name} cannot change to ${node.talosVm.options.bios}: its system disk starts with the present firmware only, and it holds the node's data (layout single)`,
    advice: 'set bios back in oxherd.yaml; or remove the node, apply, and add it again',
  };
}
