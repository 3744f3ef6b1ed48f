/** Pending changes of a VM that does not run: all of them apply (qemu-server `vmconfig_apply_pending`). */
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import { errorText } from '../../tasks/task-error.js';
import { deleteOrDetach, registerUnused } from '../disks/detach.js';
import { parseDrive } from '../disks/drives.js';
import { saveVm } from '../vms.js';
import { isDriveKey } from './config-keys.js';
import { hasPending, pendingDeletion } from './vm-config.js';

export interface Applied {
  readonly vm: VmRecord;
  /** By option: what stays pending, and why. */
  readonly errors: Readonly<Record<string, string>>;
}

export function applyPending(caller: Caller, vm: VmRecord): Applied {
  if (!hasPending(vm)) return { vm, errors: {} };
  const errors: Record<string, string> = {};
  const attempt = (key: string, change: () => void, done: () => void) => {
    try {
      change();
    } catch (error) {
      errors[key] = `unable to apply pending change ${key} : ${errorText(error)}`;
      return;
    }
    done();
  };
  for (const entry of [...vm.pending.delete].sort()) {
    const { key, force } = pendingDeletion(entry);
    attempt(
      key,
      () => {
        const line = vm.config[key];
        if (line !== undefined && isDriveKey(key)) deleteOrDetach(caller, vm, key, parseDrive(line), force);
      },
      () => {
        vm.pending.delete = vm.pending.delete.filter((other) => other !== entry);
        delete vm.config[key];
      },
    );
  }
  cleanupPending(vm);
  for (const [key, value] of Object.entries(vm.pending.set)) {
    attempt(
      key,
      () => {
        const line = vm.config[key];
        if (line !== undefined && isDriveKey(key)) registerUnused(caller, vm, parseDrive(line));
      },
      () => {
        vm.config[key] = value;
        delete vm.pending.set[key];
      },
    );
  }
  return { vm: saveVm(caller.pve, vm), errors };
}

/** What is as it shall be is not pending, what is not there cannot go. */
export function cleanupPending(vm: VmRecord): boolean {
  let changed = false;
  for (const [key, value] of Object.entries(vm.pending.set)) {
    if (vm.config[key] !== value) continue;
    delete vm.pending.set[key];
    changed = true;
  }
  const kept = vm.pending.delete.filter((entry) => vm.config[pendingDeletion(entry).key] !== undefined);
  if (kept.length < vm.pending.delete.length) changed = true;
  vm.pending.delete = kept;
  return changed;
}
