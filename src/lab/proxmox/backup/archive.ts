/** A backup of a VM: its config and what was on its disks at that moment. */
import type { VolumeContent } from '../../lab.js';
import { type Pve, PveError } from '../api.js';
import type { VmRecord, VolumeRecord } from '../db.js';
import type { Config } from '../qemu/config/vm-config.js';
import { assertSpace, type Log } from '../storage/allocate.js';
import { locate, requireStorageOnNode } from '../storage/storages.js';
import { parseVolumeName, volumePath } from '../storage/volume-name.js';
import { requireVolume } from '../storage/volume-operations.js';
import { putVolume, volumeAt, volumeId } from '../volumes.js';
import { backupDrives } from './selection.js';

export interface BackupArchive {
  readonly vmid: number;
  readonly config: Config;
  /** By slot. */
  readonly disks: Readonly<Record<string, ArchivedDisk>>;
}

interface ArchivedDisk {
  readonly volid: string;
  readonly format: string;
  readonly size: number;
  readonly used: number;
  readonly data: VolumeContent;
}

const stamp = (milliseconds: number) =>
  new Date(milliseconds)
    .toISOString()
    .slice(0, 19)
    .replaceAll('-', '_')
    .replace('T', '-')
    .replaceAll(':', '_');

const ENDINGS: Readonly<Record<string, string>> = { gzip: '.gz', '1': '.lzo', lzo: '.lzo', zstd: '.zst' };

interface BackupOptions {
  readonly storage: string;
  readonly compress: string;
  readonly notes?: string;
  readonly isProtected: boolean;
}

export function archiveVm(pve: Pve, vm: VmRecord, options: BackupOptions, log: Log): VolumeRecord {
  const storage = requireStorageOnNode(pve, options.storage, vm.host);
  const disks: Record<string, ArchivedDisk> = {};
  for (const { key, volid, included, reason } of backupDrives(vm)) {
    if (!included) {
      log(`exclude disk '${key}' '${volid}' (${reason})`);
      continue;
    }
    const { format, size, used, data } = requireVolume(pve, vm.host, volid);
    log(`include disk '${key}' '${volid}' ${Math.ceil(size / 1024 ** 3)}G`);
    disks[key] = { volid, format, size, used, data };
  }
  const file = `vzdump-qemu-${vm.vmid}-${stamp(pve.core.clock.now())}.vma${ENDINGS[options.compress] ?? ''}`;
  const name = parseVolumeName(storage, `backup/${file}`);
  const place = volumePath(storage, name);
  log(`creating vzdump archive '${place}'`);
  const size = Object.values(disks).reduce((sum, disk) => sum + disk.used, 65_536);
  assertSpace(pve, storage, vm.host, name.name, place, size);
  const { lock: _lock, ...config } = vm.config;
  const volume: VolumeRecord = {
    host: vm.host,
    storage: storage.id,
    path: name.place,
    content: 'backup',
    format: 'raw',
    size,
    used: size,
    owner: vm.vmid,
    ctime: Math.floor(pve.core.clock.now() / 1000),
    data: {},
    snapshots: {},
    archive: { vmid: vm.vmid, config, disks },
    ...(options.notes === undefined ? {} : { notes: options.notes }),
    ...(options.isProtected ? { protected: true } : {}),
  };
  putVolume(pve.db, storage, volume);
  log(`archive file size: ${Math.max(1, Math.round(size / 1024 ** 2))}MB`);
  return volume;
}

export function requireArchive(pve: Pick<Pve, 'db'>, host: string, volid: string): BackupArchive {
  const { storage, volume: name } = locate(pve, volid);
  const volume = volumeAt(pve.db, storage, host, name.place);
  if (!volume) throw new PveError(500, `volume '${volid}' does not exist`);
  if (!volume.archive) throw new PveError(500, `unable to find vma archive in '${volumeId(volume)}'`);
  return volume.archive;
}
