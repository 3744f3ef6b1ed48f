/** `POST /nodes/{node}/qemu/{vmid}/move_disk`: to another storage, or to another VM (recording move-disk). */
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../../api.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { free } from '../../storage/allocate.js';
import { locate, requireStorageOnNode } from '../../storage/storages.js';
import { createBase, requireVolume } from '../../storage/volume-operations.js';
import { errorText } from '../../tasks/task-error.js';
import { digestOf } from '../config/vm-config.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';
import { copyDisk } from './copy-disk.js';
import { addUnused, type Drive, isInUse, isPlainCdrom, parseDrive, printDrive } from './drives.js';
import { defineReassignWork, type Reassignment, startReassignment } from './reassign-disk.js';

const TASK = 'qmmove';

interface Move {
  readonly host: string;
  readonly vmid: number;
  readonly disk: string;
  readonly storage: string;
  readonly format?: string;
  readonly delete: boolean;
  readonly digest?: string;
}

export const moveHandlers: Handlers = { 'POST /nodes/{node}/qemu/{vmid}/move_disk': moveDisk };

export function defineMoveTask(pve: Pve): void {
  const reassign = defineReassignWork(pve);
  pve.tasks.define<{ move: Move } | { reassign: Reassignment }>(TASK, (args, task) => {
    if ('reassign' in args) reassign(args.reassign, task);
    else copyToStorage(pve, args.move, task);
    return undefined;
  });
}

function moveDisk(call: Call): string {
  const target = call.number('target-vmid');
  const storage = call.text('storage');
  if (target !== undefined && storage !== undefined) {
    const message = "either set 'storage' or 'target-vmid', but not both";
    throw PveError.parameter({ 'target-vmid': message, storage: message });
  }
  if (target !== undefined) return startReassignment(call, TASK, target);
  if (storage === undefined) {
    const message = "both 'storage' and 'target-vmid' missing, either needs to be set";
    throw PveError.parameter({ 'target-vmid': message, storage: message });
  }
  call.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
  const format = call.text('format');
  const digest = call.text('digest');
  const move: Move = {
    host: nodeOf(call),
    vmid: vmidOf(call),
    disk: call.text('disk') ?? '',
    storage,
    ...(format === undefined ? {} : { format }),
    delete: call.flag('delete'),
    ...(digest ? { digest } : {}),
  };
  assertMovable(call.pve, move);
  return call.pve.tasks.start(call, {
    node: move.host,
    type: TASK,
    id: String(move.vmid),
    args: { move },
    duration: 5_000,
  });
}

/** When asked, and again when it is done. */
function assertMovable(pve: Pve, move: Move): { vm: ReturnType<typeof loadVm>; drive: Drive } {
  const vm = loadVm(pve, move.host, move.vmid);
  assertUnlocked(vm.config);
  if (move.digest && move.digest !== digestOf(vm)) {
    throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
  }
  const line = vm.config[move.disk];
  if (line === undefined) throw new PveError(500, `disk '${move.disk}' does not exist`);
  const drive = parseDrive(line);
  if (isPlainCdrom(drive)) throw new PveError(500, "you can't move a cdrom");
  const { storage, volume } = locate(pve, drive.file);
  if (storage.id === move.storage && (move.format === undefined || move.format === volume.format)) {
    throw new PveError(500, "you can't move to the same storage with same format");
  }
  if (!requireStorageOnNode(pve, move.storage, move.host).content.includes('images')) {
    throw PveError.parameter({ storage: `storage '${move.storage}' does not support vm images` });
  }
  if (move.delete && isInUse(pve, vm, move.disk, drive.file)) {
    throw new PveError(500, "you can't move a disk with snapshots and delete the source");
  }
  return { vm, drive };
}

function copyToStorage(pve: Pve, move: Move, task: TaskContext): void {
  const { host, vmid, disk } = move;
  const log = (line: string) => task.log(line);
  const { vm, drive } = assertMovable(pve, move);
  const from = locate(pve, drive.file).storage.id;
  log(`copying volume '${drive.file}' from current storage '${from}' to target storage '${move.storage}'`);
  if (isInUse(pve, vm, disk, drive.file)) log('moving disk with snapshots, snapshots will not be moved!');
  if (vm.running && disk === 'tpmstate0') {
    throw new PveError(500, 'storage migration failed: cannot move TPM state while VM is running');
  }
  requireVolume(pve, host, drive.file);
  let made: string | undefined;
  try {
    let copy = copyDisk(pve, {
      host,
      key: disk,
      drive,
      vmid,
      full: true,
      storage: move.storage,
      format: move.format,
      log,
    });
    made = copy.file;
    if (!move.delete) {
      const key = addUnused(vm.config, drive.file);
      log(`adding source volume '${drive.file}' as '${key}' to config`);
    }
    if (vm.template) {
      made = createBase(pve, host, copy.file);
      copy = { ...copy, file: made };
    }
    vm.config[disk] = printDrive(copy);
    if (vm.running?.config[disk] !== undefined) vm.running.config[disk] = printDrive(copy);
    saveVm(pve, vm);
  } catch (error) {
    if (made !== undefined) free(pve, host, made);
    throw new PveError(500, `storage migration failed: ${errorText(error)}`);
  }
  if (!move.delete) return;
  log(`removing source volume '${drive.file}' after successful copy`);
  try {
    free(pve, host, drive.file, log);
  } catch (error) {
    // The copy is in use by now: what cannot be removed stays behind.
    log(errorText(error));
  }
}
