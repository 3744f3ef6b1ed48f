/** Rights that depend on the value an option has or shall have. */
import { PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import { isDriveKey, isNetKey, numbered } from './config-keys.js';
import {
  requireForBridges,
  requireForDevice,
  requireForDrive,
  requireForTags,
  requireOnVm,
} from './permissions.js';

export function requireForRemoval(caller: Caller, vm: VmRecord, key: string, value: string): void {
  if (numbered(key)?.name === 'serial') {
    if (value === 'socket') requireOnVm(caller, vm, ['VM.Config.HWType']);
    else if (!caller.who.isRoot) {
      throw new PveError(500, `only root can delete '${key}' config for real devices`);
    }
  } else if (isNetKey(key)) {
    if (vm.config[key] !== undefined) requireForBridges(caller, { [key]: vm.config[key] });
  } else if (key === 'tags') {
    requireForTags(caller, vm);
  } else {
    requireForDevice(caller, vm, key, value);
  }
}

/** Both what is there and what shall be there must be the caller's to change. */
export function requireForChange(caller: Caller, vm: VmRecord, key: string, value: string): void {
  const before = vm.config[key];
  if (isDriveKey(key)) {
    if (before !== undefined) requireForDrive(caller, vm, before);
    requireForDrive(caller, vm, value);
  } else if (numbered(key)?.name === 'serial') {
    if ((before === undefined || before === 'socket') && value === 'socket') {
      requireOnVm(caller, vm, ['VM.Config.HWType']);
    } else if (!caller.who.isRoot) {
      throw new PveError(500, `only root can modify '${key}' config for real devices`);
    }
  } else if (isNetKey(key)) {
    if (before !== undefined) requireForBridges(caller, { [key]: before });
  } else if (key === 'tags') {
    requireForTags(caller, vm);
  } else {
    if (before !== undefined) requireForDevice(caller, vm, key, before);
    requireForDevice(caller, vm, key, value);
  }
}
