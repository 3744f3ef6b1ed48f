/** The drives of an existing Talos VM: parked, attached, grown; what is left over is said. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import { bytes, formatSize } from '../../model/size.js';
import { findVolume } from '../../observe/observed-volumes.js';
import { addressNow } from '../facts/address-now.js';
import { drivesOwnedBy, type VmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';
import { claimsOf, detachCommands } from './claims.js';
import { attachDrive, detachDrive, resizeDrive } from './drive-steps.js';

/** Disks of the data VM that oxherd.yaml no longer names leave the Talos VM; the data VM keeps them. */
export function parkDrives(context: Draft, node: NodeDesign, view: VmView): string[] {
  const machine = context.observed.machines[node.name];
  // A machine that cannot be told would look for the volume when it starts; it is told first, by the next plan.
  if (!node.dataVm || (context.machines && !machine?.details.known)) return [];
  const wanted = new Set(node.drives.map((drive) => drive.wwn));
  return drivesOwnedBy(view, node.dataVm.vmid).flatMap((drive) => {
    if (!drive.wwn || wanted.has(drive.wwn)) return [];
    return [
      detachDrive(
        context.list,
        { ...drive, wwn: drive.wwn },
        {
          node,
          host: view.vm.host,
          title: `detach ${drive.file} from VM ${view.vm.vmid}; its data stays on data VM ${node.dataVm?.vmid}`,
          reason: 'the volume is no longer in oxherd.yaml',
          impact: 'live',
          usedAt: machine?.presence === 'configured' ? addressNow(node, context.observed) : undefined,
        },
      ),
    ];
  });
}

export function attachMissing(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  drive: DriveDesign,
  slot: string,
  needs: string | undefined,
): string {
  const moved = context.moved?.drives.has(drive.wwn) === true;
  const reason = moved
    ? 'it has moved with its data VM'
    : `on data VM ${drive.owner}, not attached to VM ${view.vm.vmid}`;
  return attachDrive(context.list, drive, {
    node,
    host: view.vm.host,
    reason,
    // One that this plan creates, or that oxherd.yaml names again, is no drift.
    by: moved || needs !== undefined ? undefined : 'unknown',
    needs: [needs],
    slot,
    running: view.vm.status === 'running',
  });
}

export function growDrive(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  drive: DriveDesign,
  there: VmDrive,
): string | undefined {
  const found = findVolume(context.observed.volumes, view.vm.host, there.file);
  if (found.state === 'unread') {
    context.notes.push({
      code: 'unknown',
      node: node.name,
      message: `the size of ${drive.name} of ${node.name} could not be read, so nothing is resized: ${found.why}`,
    });
    return undefined;
  }
  const size = found.state === 'present' ? found.value.size : there.size;
  if (size === undefined || size === drive.size) return undefined;
  // A system disk may be larger than asked for: the image decides.
  if (size > drive.size && drive.kind === 'os') return undefined;
  if (size > drive.size) {
    context.problems.push({
      code: 'shrink',
      scope: 'plan',
      node: node.name,
      message: `${drive.name} of ${node.name} is ${formatSize(bytes(size))}; oxherd.yaml says ${formatSize(drive.size)}, and a disk cannot shrink`,
      advice: `write its size into oxherd.yaml: oxherd volumes accept-size ${node.name}/${drive.name}; or create a new volume with another name and copy the data`,
    });
    return undefined;
  }
  return resizeDrive(context.list, drive, {
    node,
    host: view.vm.host,
    file: there.file,
    from: bytes(size),
  });
}

/** Not ours to judge: an old system disk of a replace that was cut off, or something a person attached or detached. */
export function noteLeftovers(context: Draft, node: NodeDesign, view: VmView): void {
  for (const { slot, volid, claim, owned } of claimsOf(context, view)) {
    if (claim !== 'foreign') continue;
    context.notes.push({
      code: 'left-alone',
      node: node.name,
      message: slot.startsWith('unused')
        ? `VM ${view.vm.vmid} has an unused volume (${slot}: ${volid}); if it is not needed: qm set ${view.vm.vmid} --delete ${slot}`
        : `${volid} (${slot} of VM ${view.vm.vmid}) was not created by oxherd and is left alone; ${detachCommands(view.vm.vmid, slot, owned)}`,
    });
  }
}
