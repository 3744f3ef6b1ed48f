/**
 * The one place that writes the steps on drives: detach, move, attach, grow, create, hand over, options. When a drive is
 * changed, and why, is decided by those who call.
 */
import type { DriveDesign, NodeDesign, VmDesign } from '../../design/design.js';
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import type { Vmid, Wwn } from '../../model/identity.js';
import { type Bytes, formatSize } from '../../model/size.js';
import { driftOf } from '../drift/drift-authors.js';
import { driveChange, newDrive } from '../facts/drive-facts.js';
import type { Impact } from '../impact.js';
import type { DriftAuthor } from '../step-base.js';
import type { StepList } from '../step-list.js';
import type { AttachedDrive } from '../steps.js';

type Needs = readonly (string | undefined)[];

/** What every step on a drive says besides the drive. */
interface DriveStep {
  readonly node: NodeDesign;
  /** Where the VM is that the step writes to. */
  readonly host: string;
  readonly reason: string;
  /** Who made the difference, where the config did not. */
  readonly by?: DriftAuthor | undefined;
  readonly needs?: Needs;
}

export function attachedAs(drive: DriveDesign, slot: string): AttachedDrive {
  return { slot, name: drive.name, wwn: drive.wwn, options: drive.talosOptions };
}

/** Before drives leave a VM that runs, or its node leaves a host. */
export function stopVm(
  list: StepList,
  {
    node,
    host,
    name,
    reasons,
  }: Pick<DriveStep, 'node' | 'host'> & { name: string; reasons: readonly string[] },
): string {
  const { vmid } = node.talosVm;
  return list.add(String(vmid), {
    kind: 'stop-vm',
    node: node.name,
    title: `shut down VM ${vmid} (${name})`,
    reasons,
    impact: 'restart',
    load: { host },
    vmid,
    host,
  });
}

/** From the Talos VM; the data VM keeps the volume. */
export function detachDrive(
  list: StepList,
  drive: VmDrive & { readonly wwn: Wwn },
  {
    node,
    host,
    reason,
    needs = [],
    title,
    impact,
    usedAt,
  }: DriveStep & { title: string; impact: Impact; usedAt?: string | undefined },
): string {
  const { vmid } = node.talosVm;
  return list.add(`${vmid}/${drive.slot}`, {
    kind: 'detach-drive',
    node: node.name,
    title,
    reasons: [reason],
    impact,
    needs,
    load: { host },
    vmid,
    host,
    slot: drive.slot,
    wwn: drive.wwn,
    volume: drive.file,
    ...(usedAt !== undefined && { usedAt }),
  });
}

/** To the Talos VM. */
export function attachDrive(
  list: StepList,
  drive: DriveDesign,
  { node, host, reason, by, needs = [], slot, running }: DriveStep & { slot: string; running: boolean },
): string {
  const { vmid } = node.talosVm;
  return list.add(`${vmid}/${drive.name}`, {
    kind: 'attach-drive',
    node: node.name,
    title: `attach ${drive.name} to VM ${vmid} as ${slot}`,
    reasons: [reason],
    ...driftOf([[reason, by]]),
    impact: running ? 'live' : 'none',
    needs,
    load: { host },
    vmid,
    dataVmid: drive.owner,
    host,
    drive: attachedAs(drive, slot),
  });
}

/** To another storage, on the data VM. */
export function moveDrive(
  list: StepList,
  drive: DriveDesign,
  { node, host, reason, by, needs = [] }: DriveStep,
): string {
  return list.add(`${drive.owner}/${drive.name}`, {
    kind: 'move-drive',
    node: node.name,
    title: `move ${drive.name} to storage ${drive.storage}`,
    reasons: [reason],
    ...driftOf([[reason, by]]),
    impact: 'none',
    needs,
    load: { host, storage: drive.storage },
    vmid: drive.owner,
    talosVmid: node.talosVm.vmid,
    host,
    wwn: drive.wwn,
    storage: drive.storage,
    size: drive.size,
  });
}

/** Through the Talos VM, which uses it. `file` is the volume, `from` its size now. */
export function resizeDrive(
  list: StepList,
  drive: DriveDesign,
  { node, host, file, from }: Pick<DriveStep, 'node' | 'host'> & { file: string; from: Bytes },
): string {
  const { vmid } = node.talosVm;
  return list.add(`${vmid}/${drive.name}`, {
    kind: 'grow-drive',
    node: node.name,
    title: `grow ${drive.name} of VM ${vmid} to ${formatSize(drive.size)}`,
    reasons: [`${formatSize(from)} → ${formatSize(drive.size)}`],
    impact: 'live',
    load: { host, storage: storageOfVolume(file) },
    vmid,
    host,
    wwn: drive.wwn,
    size: drive.size,
  });
}

/** A new disk of the data VM. */
export function addDrive(
  list: StepList,
  drive: DriveDesign,
  {
    node,
    host,
    reason,
    needs = [],
    slot,
    impact,
    description,
  }: DriveStep & { slot: string; impact: Impact; description: string },
): string {
  return list.add(`${drive.owner}/${drive.name}`, {
    kind: 'add-drive',
    node: node.name,
    title: `create disk ${drive.name} (${formatSize(drive.size)}) on data VM ${drive.owner}`,
    reasons: [reason],
    impact,
    needs,
    load: { host, storage: drive.storage },
    vmid: drive.owner,
    host,
    drive: newDrive(drive, slot),
    description,
  });
}

/** A new disk in place of one that stays on the data VM under another name. */
export function renewDrive(
  list: StepList,
  drive: DriveDesign,
  {
    node,
    host,
    reason,
    needs = [],
    slot,
    aside,
    description,
  }: DriveStep & {
    slot: string;
    aside: { readonly wwn: Wwn; readonly name: string };
    description: string;
  },
): string {
  return list.add(`${drive.owner}/${drive.name}`, {
    kind: 'renew-drive',
    node: node.name,
    title: `create new disk ${drive.name} (${formatSize(drive.size)}) on data VM ${drive.owner}; the old one is kept as ${aside.name}`,
    reasons: [reason],
    impact: 'reset',
    needs,
    load: { host, storage: drive.storage },
    vmid: drive.owner,
    talosVmid: node.talosVm.vmid,
    host,
    drive: newDrive(drive, slot),
    aside,
    description,
  });
}

/** A restore gave the disk to the Talos VM, where it would go with it; the data VM must own it first. */
export function handOverDrive(
  list: StepList,
  drive: DriveDesign,
  {
    node,
    host,
    dataVm,
    slot,
    talosSlot,
    stopped,
  }: Pick<DriveStep, 'node' | 'host'> & {
    dataVm: VmDesign;
    slot: string;
    talosSlot: string;
    stopped: boolean;
  },
): string {
  const { vmid } = node.talosVm;
  return list.add(`${dataVm.vmid}/${drive.name}`, {
    kind: 'hand-over-drive',
    node: node.name,
    title: `move ${drive.name} from VM ${vmid} to data VM ${dataVm.vmid}`,
    reasons: [`VM ${vmid} owns it, and it would be deleted with that VM`],
    // A VM that is stopped already does not become unavailable by it.
    impact: stopped ? 'none' : 'restart',
    load: { host: dataVm.host, storage: drive.storage },
    vmid,
    dataVmid: dataVm.vmid,
    host,
    wwn: drive.wwn,
    slot,
    options: drive.ownerOptions,
    attached: attachedAs(drive, talosSlot),
  });
}

/** The options of a drive on one of the node's VMs. */
export function setDriveOptions(
  list: StepList,
  drive: DriveDesign,
  existing: VmDrive,
  {
    node,
    host,
    by,
    needs = [],
    vmid,
    options,
  }: Omit<DriveStep, 'reason'> & { vmid: Vmid; options: Readonly<Record<string, string>> },
): string {
  const onData = vmid !== node.talosVm.vmid;
  const change = driveChange(existing.options, options);
  const reason = onData ? change : `${existing.slot}: ${change}`;
  return list.add(`${vmid}/${drive.name}`, {
    kind: 'set-drive-options',
    node: node.name,
    title: `set options of ${drive.name} on ${onData ? 'data VM' : 'VM'} ${vmid}`,
    reasons: [reason],
    ...driftOf([[reason, by]]),
    impact: onData ? 'none' : 'live',
    needs,
    load: { host },
    vmid,
    host,
    slot: existing.slot,
    wwn: drive.wwn,
    options,
  });
}
