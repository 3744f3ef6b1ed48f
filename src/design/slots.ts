/** Which slot each drive takes when its VM is made. Afterwards drives stay where they are found. */
import type { DriveDesign, NodeDesign } from './design.js';

export interface SlottedDrive {
  /** `scsi0` */
  readonly slot: string;
  readonly drive: DriveDesign;
}

/** On the Talos VM: all drives, in the design's order. */
export function talosSlotsAtCreate(node: NodeDesign): readonly SlottedDrive[] {
  return inOrder(node.drives);
}

/** On the data VM: the drives it owns. */
export function dataSlotsAtCreate(node: NodeDesign): readonly SlottedDrive[] {
  return inOrder(node.drives.filter((drive) => drive.owner === node.dataVm?.vmid));
}

function inOrder(drives: readonly DriveDesign[]): readonly SlottedDrive[] {
  return drives.map((drive, index) => ({ slot: `scsi${index}`, drive }));
}
