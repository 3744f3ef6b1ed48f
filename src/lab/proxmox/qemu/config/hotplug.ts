/** Pending changes of a running VM: what can be done at once is, the rest waits (qemu-server `vmconfig_hotplug_pending`). */
import { parseBoolean, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import { errorText } from '../../tasks/task-error.js';
import { hasCloudInitDrive, recordChange } from '../cloudinit/cloudinit-changes.js';
import { deleteOrDetach } from '../disks/detach.js';
import { isCloudInit, parseDrive } from '../disks/drives.js';
import { saveVm } from '../vms.js';
import type { Applied } from './apply-pending.js';
import { isCloudInitKey, isDriveKey, isNetKey, numbered } from './config-keys.js';
import { changeDrive, unplugDrive } from './hotplug-drive.js';
import { changeNet } from './hotplug-net.js';
import { HotplugError, NOT_NOW } from './hotplug-outcome.js';
import { pendingDeletion } from './vm-config.js';

/** Options that mean nothing to the running machine. */
const FAST_PLUG = new Set([
  'description',
  'hookscript',
  'lock',
  'migrate_downtime',
  'migrate_speed',
  'name',
  'onboot',
  'protection',
  'shares',
  'startup',
  'tags',
  'vmstatestorage',
]);

function isFastPlug(key: string): boolean {
  return FAST_PLUG.has(key) || isCloudInitKey(key);
}

function hotplugFeatures(hotplug: string | undefined): ReadonlySet<string> {
  if (hotplug === '0') return new Set();
  const list = hotplug === undefined || hotplug === '1' ? 'network,disk,usb' : hotplug;
  return new Set(list.split(/[,;\s]+/));
}

/** `touched`: what this request changed; other pending changes are left alone. */
export function hotplugPending(caller: Caller, vm: VmRecord, touched: ReadonlySet<string>): Applied {
  const errors: Record<string, string> = {};
  for (const [key, value] of Object.entries(vm.pending.set)) {
    if (!isFastPlug(key)) continue;
    delete vm.pending.set[key];
    recordChange(vm, key, vm.config[key], value);
    vm.config[key] = value;
  }
  const features = hotplugFeatures(vm.config.hotplug);
  for (const entry of [...vm.pending.delete].sort()) {
    const { key, force } = pendingDeletion(entry);
    if (!touched.has(key)) continue;
    const done = attempt(errors, key, () => unplug(caller, vm, key, force, features));
    if (!done) continue;
    recordChange(vm, key, vm.config[key], undefined);
    delete vm.config[key];
    vm.pending.delete = vm.pending.delete.filter((other) => other !== entry);
  }
  // The cloud-init drive is made last, with all other changes on it.
  const isDisk = (line: string) => !isCloudInit(parseDrive(line));
  const keys = Object.keys(vm.pending.set).filter((key) => touched.has(key));
  const late = (key: string) => isDriveKey(key) && !isDisk(vm.pending.set[key] ?? '');
  for (const key of [...keys.filter((k) => !late(k)), ...keys.filter(late)]) {
    const value = vm.pending.set[key];
    if (value === undefined) continue;
    const done = attempt(errors, key, () => plug(caller, vm, key, value, features));
    if (!done) continue;
    recordChange(vm, key, vm.config[key], value);
    vm.config[key] = value;
    delete vm.pending.set[key];
  }
  // With this feature the cloud-init drive is made again at once.
  if (features.has('cloudinit') && hasCloudInitDrive(vm)) delete vm.cloudinit;
  return { vm: saveVm(caller.pve, vm), errors };
}

function attempt(errors: Record<string, string>, key: string, change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (!(error instanceof HotplugError || error instanceof PveError)) throw error;
    if (error !== NOT_NOW) errors[key] = `hotplug problem - ${errorText(error)}\n`;
    return false;
  }
}

function unplug(
  caller: Caller,
  vm: VmRecord,
  key: string,
  force: boolean,
  features: ReadonlySet<string>,
): void {
  const kind = numbered(key)?.name;
  if (isFastPlug(key) || key === 'cpuunits' || key === 'cpulimit') return;
  if (key === 'hotplug') {
    if (/cpu|memory/.test(vm.config.hotplug ?? '')) throw NOT_NOW;
  } else if (key === 'tablet') {
    if (!features.has('usb')) throw NOT_NOW;
  } else if (kind === 'usb') {
    if (!hotplugsUsb(vm, features)) throw NOT_NOW;
  } else if (key === 'vcpus') {
    if (!features.has('cpu')) throw NOT_NOW;
  } else if (key === 'balloon') {
    if (vm.config.balloon === '0') throw NOT_NOW;
  } else if (kind === 'net') {
    if (!features.has('network')) throw NOT_NOW;
    delete vm.running?.config[key];
  } else if (isDriveKey(key)) {
    if (!features.has('disk') || /^(efidisk|ide|sata|tpmstate)/.test(key)) throw NOT_NOW;
    unplugDrive(vm, key);
    deleteOrDetach(caller, vm, key, parseDrive(vm.config[key] ?? 'none'), force);
  } else if (key === 'memory') {
    if (!features.has('memory')) throw NOT_NOW;
  } else {
    throw NOT_NOW;
  }
}

function plug(caller: Caller, vm: VmRecord, key: string, value: string, features: ReadonlySet<string>): void {
  const kind = numbered(key)?.name;
  if (key === 'cpuunits' || key === 'cpulimit') return;
  if (key === 'hotplug') {
    if (/cpu|memory/.test(value) || /cpu|memory/.test(vm.config.hotplug ?? '')) throw NOT_NOW;
  } else if (key === 'tablet') {
    if (!features.has('usb')) throw NOT_NOW;
  } else if (kind === 'usb') {
    if (!hotplugsUsb(vm, features)) throw NOT_NOW;
  } else if (key === 'vcpus') {
    if (!features.has('cpu')) throw NOT_NOW;
  } else if (key === 'balloon') {
    // Its size can change, but the device itself neither come nor go.
    if ((vm.config.balloon === '0') !== (value === '0')) throw NOT_NOW;
  } else if (isNetKey(key)) {
    changeNet(caller.pve, vm, key, value, features.has('network'));
  } else if (isDriveKey(key)) {
    changeDrive(caller, vm, key, value, features.has('disk'));
  } else if (key === 'memory') {
    if (!features.has('memory')) throw NOT_NOW;
  } else if (key === 'agent') {
    changeAgent(vm.config.agent, value);
  } else {
    throw NOT_NOW;
  }
}

function hotplugsUsb(vm: VmRecord, features: ReadonlySet<string>): boolean {
  return features.has('usb') && ['l26', 'win8', 'win10', 'win11'].includes(vm.config.ostype ?? '');
}

/** Only `fstrim_cloned_disks` is Proxmox's own affair; the rest is a device of the machine. */
function changeAgent(before: string | undefined, after: string): void {
  if (before === undefined) throw NOT_NOW;
  const essence = (value: string) => {
    const { fstrim_cloned_disks: _own, ...rest } = parsePropertyString(value, 'enabled');
    const truth = Object.entries(rest).map(([key, text]) => [key, parseBoolean(text) ?? text]);
    return JSON.stringify(truth.sort());
  };
  if (essence(before) !== essence(after)) throw NOT_NOW;
}
