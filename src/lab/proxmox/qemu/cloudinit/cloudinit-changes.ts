/** Which options have changed since the cloud-init drive was last made (qemu-server `cloudinit_record_changed`). */
import type { VmRecord } from '../../db.js';
import { isCloudInitKey, isNetKey } from '../config/config-keys.js';
import { drivesOf, isCloudInit } from '../disks/drives.js';

export function hasCloudInitDrive(vm: VmRecord): boolean {
  return drivesOf(vm.config).some(({ drive }) => isCloudInit(drive));
}

/** Only a running VM has a drive that can be out of date. */
export function recordChange(
  vm: VmRecord,
  key: string,
  before: string | undefined,
  after: string | undefined,
): void {
  if (!(isCloudInitKey(key) || isNetKey(key) || key === 'name') || !hasCloudInitDrive(vm)) return;
  const { added: addedList, ...recorded } = vm.cloudinit ?? {};
  const added = new Set((addedList ?? '').split(',').filter((name) => name !== ''));
  const was = recorded[key];
  if (after !== undefined && was !== undefined) {
    if (after === was) {
      delete recorded[key];
      added.delete(key);
    }
  } else if (after !== undefined && !added.has(key)) {
    if (before === undefined) added.add(key);
    else recorded[key] = before;
  } else if (after === undefined && before !== undefined && was === undefined && !added.delete(key)) {
    recorded[key] = before;
  }
  const list = [...added].sort().join(',');
  const section = list === '' ? recorded : { ...recorded, added: list };
  if (Object.keys(section).length > 0) vm.cloudinit = section;
  else delete vm.cloudinit;
}
