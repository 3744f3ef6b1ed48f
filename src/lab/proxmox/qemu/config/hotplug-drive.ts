/** Drives of a running VM (qemu-server `vmconfig_update_disk`). */
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import { registerUnused } from '../disks/detach.js';
import { isCdrom, isCloudInit, parseDrive } from '../disks/drives.js';
import { bootDisks } from './boot-order.js';
import { HotplugError, NOT_NOW } from './hotplug-outcome.js';

/** QEMU opens the image with these: they need the drive to be plugged again. */
const NEEDS_RESTART = ['aio', 'discard', 'iothread', 'queues', 'product', 'cache', 'ssd', 'vendor', 'ro'];

export function changeDrive(
  caller: Caller,
  vm: VmRecord,
  key: string,
  value: string,
  hotplug: boolean,
): void {
  if (key === 'efidisk0' || key === 'tpmstate0') throw NOT_NOW;
  const drive = parseDrive(value);
  const line = vm.config[key];
  if (line !== undefined) {
    const before = parseDrive(line);
    if ((drive.options.media ?? 'disk') !== (before.options.media ?? 'disk')) {
      throw new HotplugError('unable to change media type');
    }
    if (isCdrom(before)) {
      if (drive.file === 'none' && isCloudInit(before)) registerUnused(caller, vm, before);
      onMachine(vm, key, value);
      return;
    }
    if (drive.file === before.file) {
      if (NEEDS_RESTART.some((option) => drive.options[option] !== before.options[option])) throw NOT_NOW;
      // Throttles apply; a new serial or wwn is written, but the guest keeps seeing the old one.
      return;
    }
    if (!hotplug) throw NOT_NOW;
    unplugDrive(vm, key);
    registerUnused(caller, vm, before);
  }
  if (!hotplug || /^(ide|sata)\d/.test(key)) throw NOT_NOW;
  onMachine(vm, key, value);
}

/** The machine keeps what it has booted from, whatever the boot order shall be after its next start. */
export function unplugDrive(vm: VmRecord, key: string): void {
  if (vm.running?.config[key] === undefined) return;
  if (bootDisks(vm.config).includes(key)) throw new HotplugError(`can't unplug bootdisk '${key}'`);
  if (/^(ide|sata)\d/.test(key)) throw new HotplugError(`can't unplug device '${key}'`);
  delete vm.running.config[key];
}

function onMachine(vm: VmRecord, key: string, value: string): void {
  if (vm.running) vm.running.config[key] = value;
}
