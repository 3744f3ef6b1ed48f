/** Drives of a data VM that no node uses. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import type { DataNotes } from '../../formats/marks/data-notes.js';
import { bytes, formatSize } from '../../model/size.js';
import { actualSize } from '../facts/drive-facts.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';

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
