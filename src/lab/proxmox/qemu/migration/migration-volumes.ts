/** The local volumes of a VM that goes to another host: which must go along, what is in the way, the copies. */
import { type Pve, PveError } from '../../api.js';
import type { StorageRecord, VmRecord, VolumeRecord } from '../../db.js';
import { assertSpace, freeDiskName, type Log } from '../../storage/allocate.js';
import { isUsable, locate } from '../../storage/storages.js';
import { isFileStorage } from '../../storage/volume-name.js';
import { requireVolume } from '../../storage/volume-operations.js';
import { errorText } from '../../tasks/task-error.js';
import { deleteVolume, hasClones, newContents, putVolume, volumeAt, volumeId } from '../../volumes.js';
import { isUnusedKey } from '../config/config-keys.js';
import type { Config } from '../config/vm-config.js';
import { drivesOf, isCdrom, isCloudInit, isPlainCdrom, volumesNamed } from '../disks/drives.js';
import type { Migration } from './migration.js';

/** The volumes to copy, in order; anything in the way is told volume by volume. */
export function scan(pve: Pve, vm: VmRecord, migration: Migration, log: Log): string[] {
  const configs: Config[] = [vm.config, vm.pending.set, ...Object.values(vm.snapshots).map((s) => s.config)];
  const local: string[] = [];
  const problems: string[] = [];
  for (const volid of [...new Set(configs.flatMap(volumesNamed))].sort()) {
    const { storage } = locate(pve, volid);
    let problem: string | undefined;
    try {
      assertTarget(pve, storage, migration);
      if (!storage.shared) assertMovable(pve, vm, migration, volid);
    } catch (error) {
      problem = errorText(error);
    }
    if (storage.shared && problem === undefined) continue;
    log(`found ${whereFrom(vm, volid)}`);
    local.push(volid);
    if (problem !== undefined) problems.push(`can't migrate local disk '${volid}': ${problem}`);
  }
  for (const problem of problems) log(problem);
  if (problems.length > 0) {
    throw new PveError(500, "Problem found while scanning volumes - can't migrate VM - check log");
  }
  return local;
}

function whereFrom(vm: VmRecord, volid: string): string {
  const drive = drivesOf(vm.config).find((one) => one.drive.file === volid)?.drive;
  if (drive && isCloudInit(drive)) return `generated disk '${volid}' (in current VM config)`;
  if (drive) return `local disk '${volid}' (attached)`;
  const unused = Object.entries(vm.config).some(([key, value]) => isUnusedKey(key) && value === volid);
  return `local disk '${volid}' (${unused ? 'unused' : 'referenced by snapshot(s)'})`;
}

function targetStorage(storage: StorageRecord, { storages }: Migration): string {
  return storages?.entries[storage.id] ?? storages?.other ?? storage.id;
}

function assertTarget(pve: Pve, storage: StorageRecord, migration: Migration): void {
  const id = storage.shared ? storage.id : targetStorage(storage, migration);
  const target = pve.db.storages.get(id);
  if (!target || !isUsable(target, migration.target)) {
    throw new PveError(500, `storage '${id}' is not available on node '${migration.target}'`);
  }
}

function assertMovable(pve: Pve, vm: VmRecord, migration: Migration, volid: string): void {
  const drive = drivesOf(vm.config).find((one) => one.drive.file === volid)?.drive;
  requireVolume(pve, vm.host, volid);
  if (drive && isPlainCdrom(drive)) throw new PveError(500, 'local cdrom image');
  const { storage, volume } = locate(pve, volid);
  if (volume.owner !== vm.vmid) throw new PveError(500, `owned by other VM (owner = VM ${volume.owner})`);
  const live = vm.running !== undefined && drive !== undefined && !isCdrom(drive);
  if (live && !migration.withLocalDisks) {
    throw new PveError(500, "can't live migrate attached local disks without with-local-disks option");
  }
  const { snapshots } = requireVolume(pve, vm.host, volid);
  const held = Object.keys(snapshots).length > 0;
  if (live && held) {
    throw new PveError(500, 'online storage migration not possible if non-replicated snapshot exists');
  }
  if (held && storage.type !== 'zfspool' && volume.format !== 'qcow2' && storage.type !== 'btrfs') {
    throw new PveError(500, 'non-migratable snapshot exists');
  }
  if (hasClones(pve.db, storage, vm.host, volume.place)) {
    throw new PveError(500, 'referenced by linked clone(s)');
  }
  if (volume.base !== undefined) {
    throw new PveError(500, `can't migrate '${volid}' as it's a clone of '${volume.base}'`);
  }
}

const RATE = 200_000_000;

/** Lab milliseconds: files are read whole, block volumes only where something is written. */
export function copyTime(pve: Pve, { host, bwlimit }: Migration, volid: string): number {
  const volume = requireVolume(pve, host, volid);
  const file = isFileStorage(locate(pve, volid).storage);
  if (bwlimit) return Math.ceil((volume.size / (bwlimit * 1024)) * 1000);
  return Math.ceil(1_000 + ((file ? volume.size : volume.used) / RATE) * 1000);
}

/** ZFS sends streams that only ZFS can receive; the disks of a running VM are copied by QEMU instead. */
function assertTransfer({ db }: Pve, vmid: number, from: string, to: string): void {
  const running = db.vms.get(String(vmid))?.running !== undefined;
  if (running || (from === 'zfspool') === (to === 'zfspool')) return;
  throw new PveError(500, `cannot migrate from storage type '${from}' to '${to}'`);
}

/** Room is taken when a copy begins; its place there is free under the same name, or under the next number. */
export function beginCopy(pve: Pve, migration: Migration, volid: string, log: Log): string {
  const { storage: from, volume: name } = locate(pve, volid);
  const { host, target, vmid } = migration;
  const to = pve.db.storages.get(targetStorage(from, migration)) ?? from;
  const volume = requireVolume(pve, host, volid);
  const same = from.id === to.id && !volumeAt(pve.db, to, target, name.place);
  const format = isFileStorage(to) ? volume.format : 'raw';
  const file = freeDiskName(pve, to, target, vmid, format);
  const path = same ? volume.path : isFileStorage(to) ? `${vmid}/${file}` : file;
  try {
    assertTransfer(pve, vmid, from.type, to.type);
    assertSpace(pve, to, target, name.name, path, volume.used);
  } catch (error) {
    const text = `storage migration for '${volid}' to storage '${to.id}' failed - ${errorText(error)}`;
    throw new PveError(500, text);
  }
  const copy: VolumeRecord = {
    ...volume,
    host: target,
    storage: to.id,
    path,
    format,
    data: { token: newContents(pve.db) },
    snapshots: {},
  };
  if (isFileStorage(to)) {
    log(`Formatting '${to.path}/images/${path}', fmt=${format} size=${volume.size} preallocation=off`);
  }
  putVolume(pve.db, to, copy);
  return volumeId(copy);
}

export function endCopy(
  pve: Pve,
  { host, target }: Migration,
  volid: string,
  copied: string,
  log: Log,
): void {
  const source = requireVolume(pve, host, volid);
  const { storage } = locate(pve, copied);
  const { data, snapshots, size, used } = source;
  putVolume(pve.db, storage, { ...requireVolume(pve, target, copied), data, snapshots, size, used });
  log(`successfully imported '${copied}'`);
  log(`volume '${volid}' is '${copied}' on the target`);
}

export function dropVolume(pve: Pve, host: string, volid: string): void {
  const { storage, volume: name } = locate(pve, volid);
  const volume = volumeAt(pve.db, storage, host, name.place);
  if (volume) deleteVolume(pve.db, storage, volume);
}
