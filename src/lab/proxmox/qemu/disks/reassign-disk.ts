/** A disk becomes another VM's: its volume gets that VM's name (recording move-disk). */
import { type Call, type Pve, PveError, type TaskContext } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { callerWithId, nodeOf, vmidOf } from '../../http/request.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { hasFeature, renameVolume } from '../../storage/volume-operations.js';
import { formatProblem } from '../../validation/check.js';
import { parseBootOrder, printBootOrder } from '../config/boot-order.js';
import { isUnusedKey } from '../config/config-keys.js';
import { optionSchema } from '../config/option-schema.js';
import { requireOnVm } from '../config/permissions.js';
import { updateVm } from '../config/update.js';
import { digestOf } from '../config/vm-config.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';
import { type Drive, isInUse, isPlainCdrom, parseDrive, printDrive } from './drives.js';

export interface Reassignment {
  readonly host: string;
  readonly vmid: number;
  readonly disk: string;
  readonly target: number;
  readonly targetDisk: string;
  readonly digest?: string;
  readonly targetDigest?: string;
  readonly user: string;
}

export function startReassignment(call: Call, type: string, target: number): string {
  const disk = call.text('disk') ?? '';
  const digest = call.text('digest');
  const targetDigest = call.text('target-digest');
  const reassign: Reassignment = {
    host: nodeOf(call),
    vmid: vmidOf(call),
    disk,
    target,
    targetDisk: call.text('target-disk') ?? disk,
    ...(digest ? { digest } : {}),
    ...(targetDigest ? { targetDigest } : {}),
    user: call.who.id,
  };
  if (!call.who.isRoot) requireOnVm(call, { vmid: target }, ['VM.Config.Disk']);
  if (target === reassign.vmid) {
    throw PveError.parameter({ 'target-vmid': 'must be different than source VMID to reassign disk' });
  }
  const { drive } = assertReassignable(call.pve, reassign);
  call.require(`/storage/${splitVolumeId(drive.file)?.storage}`, ['Datastore.AllocateSpace']);
  return call.pve.tasks.start(call, {
    node: reassign.host,
    type,
    id: `${reassign.vmid}-${disk}>${target}-${reassign.targetDisk}`,
    args: { reassign },
    duration: 500,
  });
}

function assertReassignable(
  pve: Pve,
  { host, vmid, disk, target, targetDisk, digest, targetDigest }: Reassignment,
): { source: VmRecord; receiver: VmRecord; drive: Drive } {
  const from = pve.db.vms.get(String(vmid));
  const to = pve.db.vms.get(String(target));
  if (!from) throw new PveError(500, `could not find VM ${vmid}`);
  if (!to) throw new PveError(500, `could not find target VM ${target}`);
  if (from.host !== to.host) {
    throw new PveError(500, `Both VMs need to be on the same node (${from.host} != ${to.host})`);
  }
  const source = loadVm(pve, host, vmid);
  assertUnlocked(source.config);
  const receiver = loadVm(pve, host, target);
  assertUnlocked(receiver.config);
  if (source.template || receiver.template) {
    throw new PveError(500, "Can't move disks from or to template VMs");
  }
  assertUnchanged(source, digest);
  assertUnchanged(receiver, targetDigest);
  const line = source.config[disk];
  if (line === undefined) throw new PveError(500, `Disk '${disk}' for VM '${vmid}' does not exist`);
  if (receiver.config[targetDisk] !== undefined) {
    throw new PveError(500, `Target disk key '${targetDisk}' is already in use for VM '${target}'`);
  }
  const drive = parseDrive(line);
  assertVolume(pve, source, disk, drive);
  if (!isUnusedKey(targetDisk)) assertFits(targetDisk, line);
  // As an unused disk it is nothing but its volume.
  return { source, receiver, drive: isUnusedKey(targetDisk) ? { file: drive.file, options: {} } : drive };
}

/** Slots of another kind do not know all options. */
function assertFits(targetDisk: string, line: string): void {
  const format = optionSchema(targetDisk)?.format;
  const problem = format === undefined ? undefined : formatProblem(format, line, '');
  if (problem === undefined) return;
  throw new PveError(500, `failed to parse source disk for target disk format - ${problem}\n`);
}

function assertUnchanged(vm: VmRecord, digest: string | undefined): void {
  if (digest === undefined || digest === digestOf(vm)) return;
  throw new PveError(
    500,
    `VM ${vm.vmid}: detected modified configuration - file changed by other user? Try again.`,
  );
}

function assertVolume(pve: Pve, source: VmRecord, disk: string, drive: Drive): void {
  if (isPlainCdrom(drive)) throw new PveError(500, "CD drive contents can't be moved to another VM");
  if (!splitVolumeId(drive.file)) throw new PveError(500, `Volume '${drive.file}' not managed by PVE`);
  if (isInUse(pve, source, disk, drive.file)) {
    throw new PveError(500, "Can't move disk used by a snapshot to another VM");
  }
  if (!hasFeature(pve, 'rename', drive.file)) {
    throw new PveError(500, 'Storage does not support moving of this disk to another VM');
  }
  if (source.running && !isUnusedKey(disk)) {
    throw new PveError(500, 'Cannot move disk to another VM while the source VM is running - detach first');
  }
}

/** The receiver's config is changed as by a request of its own, hot-plug included. */
export function defineReassignWork(pve: Pve): (reassign: Reassignment, task: TaskContext) => void {
  return (reassign, task) => {
    const { host, vmid, disk, target, targetDisk } = reassign;
    const log = (line: string) => task.log(line);
    const { source, receiver, drive } = assertReassignable(pve, reassign);
    log(`reassign disk '${disk}' from VM '${vmid}' as '${targetDisk}' to VM '${target}'`);
    const file = renameVolume(pve, host, drive.file, target);
    const order = parseBootOrder(source.config.boot);
    if (order.includes(disk)) {
      log(`removing disk '${disk}' from boot order config`);
      source.config.boot = printBootOrder(order.filter((device) => device !== disk));
    }
    delete source.config[disk];
    log(`removing disk '${disk}' from VM '${vmid}' config`);
    saveVm(pve, source);
    const line = printDrive({ ...drive, file });
    if (isUnusedKey(targetDisk)) {
      receiver.config[targetDisk] = line;
      saveVm(pve, receiver);
      return;
    }
    updateVm(
      callerWithId(pve, reassign.user),
      {
        host,
        vmid: target,
        set: { [targetDisk]: line },
        remove: [],
        revert: [],
        force: false,
        ...(reassign.targetDigest ? { digest: reassign.targetDigest } : {}),
        skipLock: false,
        sent: `-${targetDisk} ${line}`,
      },
      log,
    );
  };
}
