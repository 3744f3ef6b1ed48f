/** Changing a VM's config: into the pending section first, then applied or hot-plugged (qemu-server `update_vm_api`). */
import { parseTags, printTags } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import type { Log } from '../../storage/allocate.js';
import { errorText } from '../../tasks/task-error.js';
import { createDisks } from '../disks/create-disks.js';
import { deallocate, registerUnused } from '../disks/detach.js';
import { isPlainCdrom, parseDrive } from '../disks/drives.js';
import { assertUnlocked, assertUnprotected, loadVm, saveVm } from '../vms.js';
import { applyPending, cleanupPending } from './apply-pending.js';
import { parseBootOrder, printBootOrder } from './boot-order.js';
import { isDriveKey, isFirmwareDrive, isUnusedKey } from './config-keys.js';
import { assertClipboard } from './display.js';
import { hotplugPending } from './hotplug.js';
import { assertMachine, pinnedMachine } from './machine-type.js';
import { assertWritable } from './option-schema.js';
import { requireForDrive, requireOnVm } from './permissions.js';
import { requireForChange, requireForRemoval } from './update-rights.js';
import { digestOf, hasPending, memoryOf } from './vm-config.js';

/** What a request asks for, checked and in Proxmox's own form. */
export interface Update {
  readonly host: string;
  readonly vmid: number;
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
  readonly revert: readonly string[];
  /** Destroy the volumes of removed drives. */
  readonly force: boolean;
  readonly digest?: string;
  readonly skipLock: boolean;
  /** For the task's log: the parameters as they were sent. */
  readonly sent: string;
}

/** Checks made when the request comes, and again when it is carried out. */
export function assertUpdatable(caller: Pick<Caller, 'pve'>, update: Update): VmRecord {
  const vm = loadVm(caller.pve, update.host, update.vmid);
  if (update.digest && update.digest !== digestOf(vm)) {
    throw new PveError(500, 'checksum mismatch (file change by other user?)');
  }
  if (!update.skipLock) assertUnlocked(vm.config);
  assertBalloon(vm, update);
  return vm;
}

function assertBalloon(vm: VmRecord, { set }: Update): void {
  if (set.memory === undefined && set.balloon === undefined) return;
  const memory = set.memory ?? vm.pending.set.memory ?? vm.config.memory;
  const balloon = Number(set.balloon ?? vm.pending.set.balloon ?? vm.config.balloon ?? 0);
  if (balloon > memoryOf(memory)) {
    throw new PveError(500, 'balloon value too large (must be smaller than assigned memory)');
  }
}

export function updateVm(caller: Caller, update: Update, log: Log): void {
  let vm = assertUpdatable(caller, update);
  log(`update VM ${update.vmid}: ${update.sent}`);
  const { set, remove } = withReverted(vm, update);
  const touched = new Set<string>();
  const boot = { order: parseBootOrder(vm.config.boot) };
  for (const key of remove)
    vm = removeOption(caller, vm, key, { ...update, set, remove }, boot, touched, log);
  for (const key of Object.keys(set).sort()) {
    touched.add(key);
    if (vm.pending.set[key] === set[key]) continue;
    changeOption(caller, vm, key, set[key] ?? '', { ...update, set, remove }, boot, touched, log);
    vm.pending.delete = vm.pending.delete.filter((entry) => entry.replace(/^!/, '') !== key);
    assertWritable(vm.pending.set, [key]);
    vm = saveVm(caller.pve, vm);
  }
  if (cleanupPending(vm)) vm = saveVm(caller.pve, vm);
  if (!hasPending(vm)) return;
  const machine = JSON.stringify(vm.running?.config);
  const applied = vm.running ? hotplugPending(caller, vm, touched) : applyPending(caller, vm);
  const { errors } = applied;
  if (JSON.stringify(applied.vm.running?.config) !== machine)
    caller.pve.machines?.hardwareChanged(update.vmid);
  if (Object.keys(errors).length > 0) throw PveError.parameter(errors);
}

/** Reverting is setting an option to what it is, or removing one that was only pending. */
function withReverted(vm: VmRecord, update: Update): Pick<Update, 'set' | 'remove'> {
  const set = { ...update.set };
  const remove = [...update.remove];
  for (const key of update.revert) {
    const value = vm.config[key];
    if (value !== undefined) set[key] = value;
    else if (vm.pending.set[key] !== undefined) remove.push(key);
  }
  // Discarding a saved state also ends the suspension.
  if (remove.includes('vmstate')) {
    if (vm.config.lock === 'suspended') remove.push('lock');
    remove.push(...['runningmachine', 'runningcpu'].filter((key) => vm.config[key] !== undefined));
  }
  return { set, remove };
}

function removeOption(
  caller: Caller,
  vm: VmRecord,
  key: string,
  update: Update,
  boot: { order: string[] },
  touched: Set<string>,
  log: Log,
): VmRecord {
  const value = vm.config[key] ?? vm.pending.set[key];
  if (value === undefined) {
    log(`cannot delete '${key}' - not set in current configuration!`);
    return vm;
  }
  touched.add(key);
  const wasPending = vm.pending.set[key] !== undefined;
  delete vm.pending.set[key];
  if (boot.order.includes(key)) {
    boot.order = boot.order.filter((device) => device !== key);
    vm.pending.set.boot = printBootOrder(boot.order);
    touched.add('boot');
  }
  if (isUnusedKey(key) || key === 'vmstate') {
    const drive = parseDrive(value);
    const what = key === 'vmstate' ? `vmstate '${value}'` : `unused disk '${drive.file}'`;
    assertUnprotected(vm.config, `can't remove ${what}`);
    if (key !== 'vmstate') requireOnVm(caller, vm, ['VM.Config.Disk']);
    if (deallocate(caller, vm, key, drive, { force: key === 'vmstate', log })) delete vm.config[key];
    return saveVm(caller.pve, vm);
  }
  if (key === 'tags') {
    requireForRemoval(caller, vm, key, value);
    delete vm.config.tags;
    return saveVm(caller.pve, vm);
  }
  if (isDriveKey(key)) {
    assertUnprotected(vm.config, `can't remove drive '${key}'`);
    requireForDrive(caller, vm, value);
    if (wasPending) registerUnused(caller, vm, parseDrive(value));
  } else {
    requireForRemoval(caller, vm, key, value);
  }
  vm.pending.delete = [
    ...vm.pending.delete.filter((entry) => entry.replace(/^!/, '') !== key),
    update.force ? `!${key}` : key,
  ];
  return saveVm(caller.pve, vm);
}

function changeOption(
  caller: Caller,
  vm: VmRecord,
  key: string,
  value: string,
  update: Update,
  boot: { order: string[] },
  touched: Set<string>,
  log: Log,
): void {
  requireForChange(caller, vm, key, value);
  if (isDriveKey(key)) {
    changeDriveLine(caller, vm, key, value, boot, touched, log);
  } else if (key === 'tags') {
    vm.pending.set.tags = printTags(parseTags(value));
  } else if (key === 'vga') {
    assertClipboard(value);
    vm.pending.set.vga = value;
  } else if (key === 'machine') {
    assertMachine(value);
    vm.pending.set.machine = value;
  } else if (key === 'ostype') {
    pinMachine(vm, value, touched, log);
    vm.pending.set.ostype = value;
  } else if (key === 'cipassword') {
    // The password is never pending.
    vm.config.cipassword = value;
  } else if (key === 'boot') {
    vm.pending.set.boot = checkedBoot(vm, value, update);
    if (vm.config.bootdisk !== undefined) vm.pending.delete.push('bootdisk');
  } else {
    vm.pending.set[key] = value;
  }
}

function changeDriveLine(
  caller: Caller,
  vm: VmRecord,
  key: string,
  value: string,
  boot: { order: string[] },
  touched: Set<string>,
  log: Log,
): void {
  const before = vm.config[key];
  if (key === 'tpmstate0' && before !== undefined) assertSameTpm(before, value);
  // Firmware variables and TPM states know no media: such a line is passed over without a word.
  if (parseDrive(value).options.media !== undefined && isFirmwareDrive(key)) return;
  const pending = vm.pending.set[key];
  if (pending !== undefined) registerUnused(caller, vm, parseDrive(pending));
  const { lines } = createDisks(caller.pve, {
    host: vm.host,
    vmid: vm.vmid,
    existing: [vm.config, vm.pending.set],
    lines: { [key]: value },
    log,
  });
  Object.assign(vm.pending.set, lines);
  // A new CD-ROM goes to the end of the boot order; new disks do not (recording iso-boot-vm).
  if (boot.order.length > 0 && isPlainCdrom(parseDrive(value)) && !boot.order.includes(key)) {
    boot.order.push(key);
    vm.pending.set.boot = printBootOrder(boot.order);
    touched.add('boot');
  }
}

/** A guest that becomes Windows keeps the machine version of now, unless the request says something about it. */
function pinMachine(vm: VmRecord, ostype: string, touched: ReadonlySet<string>, log: Log): void {
  if (vm.pending.set.machine !== undefined || touched.has('machine')) return;
  try {
    const machine = pinnedMachine(vm.config.machine, { ostype, arch: vm.config.arch }, log);
    if (machine !== '') vm.pending.set.machine = machine;
  } catch (error) {
    log(`automatic pinning of machine version failed - ${errorText(error)}`);
  }
}

function assertSameTpm(before: string, after: string): void {
  const [was, is] = [parseDrive(before), parseDrive(after)];
  if (was.file === is.file && (was.options.version ?? 'v1.2') !== (is.options.version ?? 'v1.2')) {
    throw new PveError(500, 'cannot change TPM state version after creation');
  }
}

/** Unlike on create, every device of the order must be there. */
function checkedBoot(vm: VmRecord, value: string, { set, remove }: Update): string {
  const order = parseBootOrder(value);
  if (order.length === 0) return value;
  for (const device of order) {
    const there = vm.config[device] ?? vm.pending.set[device] ?? set[device];
    if (!there || remove.includes(device)) {
      throw new PveError(500, `invalid bootorder: device '${device}' does not exist'`);
    }
  }
  return printBootOrder(order);
}
