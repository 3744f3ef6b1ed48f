/** Taking a drive from a VM: to the unused ones, or for good (qemu-server `vmconfig_delete_or_detach_drive`). */
import { PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import { free, type Log, NO_LOG } from '../../storage/allocate.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { requireOnVm } from '../config/permissions.js';
import { addUnused, type Drive, isCdrom, isCloudInit, isInUse, isPlainCdrom, ownsVolume } from './drives.js';

/**
 * A cloud-init drive is destroyed, a volume of its own becomes `unusedN`; another VM's volume just leaves the
 * config (recordings cloud-init, disk-unused, foreign-disks-dir).
 */
export function registerUnused(caller: Pick<Caller, 'pve'>, vm: VmRecord, drive: Drive): void {
  if (isCloudInit(drive)) {
    free(caller.pve, vm.host, drive.file);
    delete vm.cloudinit;
  } else if (!isCdrom(drive) && ownsVolume(caller.pve, vm.vmid, drive.file)) {
    addUnused(vm.config, drive.file);
  }
}

/** Destroys the volume if it is the VM's own; `false`: there was nothing to do. */
export function deallocate(
  caller: Caller,
  vm: VmRecord,
  key: string,
  drive: Drive,
  options: { force: boolean; log?: Log },
): boolean {
  if (!(options.force || key.startsWith('unused')) || isPlainCdrom(drive)) return false;
  if (!ownsVolume(caller.pve, vm.vmid, drive.file)) return true;
  caller.require(`/storage/${splitVolumeId(drive.file)?.storage}`, ['Datastore.AllocateSpace']);
  if (isInUse(caller.pve, vm, key, drive.file)) {
    throw new PveError(500, `unable to delete '${drive.file}' - volume is still in use (snapshot?)`);
  }
  free(caller.pve, vm.host, drive.file, options.log ?? NO_LOG);
  return true;
}

export function deleteOrDetach(
  caller: Caller,
  vm: VmRecord,
  key: string,
  drive: Drive,
  force: boolean,
): void {
  if (!force) {
    registerUnused(caller, vm, drive);
    return;
  }
  requireOnVm(caller, vm, ['VM.Config.Disk']);
  deallocate(caller, vm, key, drive, { force });
}
