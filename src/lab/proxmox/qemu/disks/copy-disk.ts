/** Copies of a drive's volume, for clones and moves (qemu-server `clone_disk`). */
import { type Pve, PveError } from '../../api.js';
import { allocate, copyVolume, type Log } from '../../storage/allocate.js';
import { locate, requireStorage } from '../../storage/storages.js';
import { isFileStorage, volumePath } from '../../storage/volume-name.js';
import { cloneVolume, requireVolume } from '../../storage/volume-operations.js';
import { volumeId } from '../../volumes.js';
import { snapshotOf } from '../vms.js';
import { pickFormat } from './create-disks.js';
import { type Drive, isCloudInit, withFile } from './drives.js';
import { CLOUD_INIT_SIZE, fixedSize } from './fixed-sizes.js';

interface DiskCopy {
  readonly host: string;
  readonly key: string;
  readonly drive: Drive;
  readonly vmid: number;
  readonly full: boolean;
  readonly storage?: string | undefined;
  readonly format?: string | undefined;
  /** Copy the volume as it was then. */
  readonly snapshot?: string | undefined;
  readonly log: Log;
}

export function copyDisk(pve: Pve, copy: DiskCopy): Drive {
  const { host, drive, vmid, log } = copy;
  log(`create ${copy.full ? 'full' : 'linked'} clone of drive ${copy.key} (${drive.file})`);
  const source = requireVolume(pve, host, drive.file);
  if (!copy.full) {
    const volid = cloneVolume(pve, host, drive.file, vmid);
    return withFile(drive, volid, source.size);
  }
  const { volume: name, storage: from } = locate(pve, drive.file);
  const storage = requireStorage(pve, copy.storage ?? from.id);
  const format = pickFormat(storage, copy.format ?? name.format);
  const wanted = { host, storage: storage.id, vmid, format };
  if (isCloudInit(drive)) {
    const file = `vm-${vmid}-cloudinit${isFileStorage(storage) ? `.${format}` : ''}`;
    const made = allocate(pve, { ...wanted, name: file, size: CLOUD_INIT_SIZE }, log);
    log(`allocated target volume '${volumeId(made)}'`);
    return withFile(drive, volumeId(made), made.size);
  }
  const then = copy.snapshot === undefined ? undefined : snapshotOf(source, copy.snapshot);
  if (copy.snapshot !== undefined && !then) {
    throw new PveError(500, `snapshot '${copy.snapshot}' does not exist on '${drive.file}'`);
  }
  const content = {
    data: then?.data ?? source.data,
    size: then?.size ?? source.size,
    used: source.used,
    file: { path: volumePath(from, name), format: name.format },
  };
  const size = fixedSize(copy.key, drive) ?? content.size;
  const made = copyVolume(pve, content, { ...wanted, size }, log);
  return withFile(drive, volumeId(made), made.size);
}
