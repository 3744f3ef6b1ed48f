/** Single drives of a data VM: handed over to it, parked. */
import type { DriveDesign, NodeDesign, VmDesign } from '../../design/design.js';
import type { DataNotes } from '../../formats/marks/data-notes.js';
import { bytes, formatSize } from '../../model/size.js';
import { actualSize } from '../facts/drive-facts.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';

/** A restore gave the disk to the Talos VM, where it would go with it; the data VM must own it first. */
export function handOver(
  context: PlanContext,
  node: NodeDesign,
  dataVm: VmDesign,
  drive: DriveDesign,
  slot: string,
): string {
  return context.list.add(`${dataVm.vmid}/${drive.name}`, {
    kind: 'hand-over-drive',
    node: node.name,
    title: `move ${drive.name} from VM ${node.talosVm.vmid} to data VM ${dataVm.vmid}`,
    reasons: [`VM ${node.talosVm.vmid} owns it, and it would be deleted with that VM`],
    // Who is down already is not taken away by it.
    impact: context.observed.vms[node.talosVm.vmid]?.status === 'stopped' ? 'none' : 'restart',
    load: { host: dataVm.host, storage: drive.storage },
    vmid: node.talosVm.vmid,
    dataVmid: dataVm.vmid,
    host: context.observed.vms[dataVm.vmid]?.host ?? dataVm.host,
    wwn: drive.wwn,
    slot,
    options: drive.ownerOptions,
  });
}

export function noteParked(
  { notes, observed }: PlanContext,
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
