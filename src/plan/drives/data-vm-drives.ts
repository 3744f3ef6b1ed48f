/** The drives of a data VM: slots for new ones, and those that no node uses. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import type { DataNotes } from '../../formats/marks/data-notes.js';
import { lowestFreeSlot } from '../../formats/proxmox/drive-slots.js';
import { bytes, formatSize } from '../../model/size.js';
import { actualSize } from '../facts/drive-facts.js';
import { takenSlots, type VmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';
import { noSlot } from './drive-problems.js';

/** A slot for each; `undefined`: there are too few, and that is said. */
export function freeSlots(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  drives: readonly DriveDesign[],
): Map<DriveDesign, string> | undefined {
  const taken = takenSlots(view);
  const slots = new Map<DriveDesign, string>();
  for (const drive of drives) {
    const slot = lowestFreeSlot(taken);
    if (slot === undefined) {
      context.problems.push(noSlot(node, view.vm.vmid, drive.name));
      return undefined;
    }
    taken.add(slot);
    slots.set(drive, slot);
  }
  return slots;
}

export function noteParked(
  { notes, observed }: Draft,
  node: NodeDesign,
  kept: readonly DriveDesign[],
  view: VmView,
  { names }: DataNotes,
): void {
  const wanted = new Set(kept.map((drive) => drive.wwn));
  for (const drive of view.drives) {
    if (!drive.wwn || wanted.has(drive.wwn)) continue;
    const size = actualSize(observed.volumes, view.vm.host, drive.file) ?? drive.size;
    notes.push({
      code: 'parked',
      node: node.name,
      message: `${node.name}/${names.get(drive.wwn) ?? drive.wwn} is parked: ${drive.file}${size === undefined ? '' : `, ${formatSize(bytes(size))}`} kept on data VM ${view.vm.vmid}`,
    });
  }
}
