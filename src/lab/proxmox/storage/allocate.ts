/** Making and destroying volumes, by the rules of each storage type (pve-storage `alloc_image`, `free_image`). */
import type { VolumeContent } from '../../lab.js';
import { type Pve, PveError } from '../api.js';
import type { StorageRecord, VolumeRecord } from '../db.js';
import {
  deleteVolume,
  hasClones,
  newContents,
  putVolume,
  volumeAt,
  volumeId,
  volumesOn,
} from '../volumes.js';
import { activate } from './add-checks.js';
import { locate, requireStorageOnNode, spaceOf } from './storages.js';
import {
  isFileStorage,
  isLvm,
  parseImageFile,
  parseVolumeName,
  requireVolumeId,
  volumePath,
} from './volume-name.js';

/** A line of a task's log; calls outside a task have none. */
export type Log = (line: string) => void;
export const NO_LOG: Log = () => {};

interface Allocation {
  readonly host: string;
  readonly storage: string;
  readonly vmid: number;
  readonly format?: string | undefined;
  /** As the caller wants it; otherwise the lowest free `vm-ID-disk-N`. */
  readonly name?: string | undefined;
  readonly size: number;
  readonly data?: VolumeContent;
  /** Bytes of data that come with it (an import); a new volume is thin. */
  readonly used?: number;
}

const MEBIBYTE = 1024 ** 2;
/** ZFS volumes are made in whole MiB, thin LVs in extents of 4 MiB. */
const GRAIN: Partial<Record<StorageRecord['type'], number>> = {
  zfspool: MEBIBYTE,
  lvm: 4 * MEBIBYTE,
  lvmthin: 4 * MEBIBYTE,
};

/** Storages on which others make the volumes, in the words of their plugins. */
const NOT_ALLOCATED: Partial<Record<StorageRecord['type'], string>> = {
  iscsi: "can't allocate space in iscsi storage",
  iscsidirect: "can't allocate space in iscsi storage",
  pbs: "can't allocate space in pbs storage",
  esxi: 'creating images is not supported for PVE::Storage::ESXiPlugin',
};

export function roundedSize(storage: StorageRecord, size: number): number {
  const grain = GRAIN[storage.type] ?? 1024;
  return Math.ceil(size / grain) * grain;
}

export function allocate(pve: Pve, wanted: Allocation, log: Log = NO_LOG): VolumeRecord {
  const storage = requireStorageOnNode(pve, wanted.storage, wanted.host);
  activate(storage);
  const refusal = NOT_ALLOCATED[storage.type];
  if (refusal !== undefined) throw new PveError(500, refusal);
  const format = wanted.format ?? 'raw';
  const path = isFileStorage(storage)
    ? `${wanted.vmid}/${fileName(pve, storage, wanted, format)}`
    : blockName(pve, storage, wanted, format);
  const name = parseVolumeName(storage, path);
  const place = volumePath(storage, name);
  if (volumeAt(pve.db, storage, wanted.host, name.place)) throw alreadyThere(storage, name.name, place);
  // A directory has no quota: only a subvolume without a size can be made.
  if (format === 'subvol' && isFileStorage(storage) && wanted.size !== 0) {
    throw new PveError(500, 'storage does not support subvol quotas');
  }
  const size = roundedSize(storage, wanted.size);
  const reserved = isThick(storage) ? size : (wanted.used ?? 0);
  assertSpace(pve, storage, wanted.host, name.name, place, reserved);
  if (isFileStorage(storage)) log(formatting(place, format, size));
  const volume: VolumeRecord = {
    host: wanted.host,
    storage: storage.id,
    path: name.place,
    content: 'images',
    format,
    size,
    used: reserved,
    ctime: Math.floor(pve.core.clock.now() / 1000),
    data: wanted.data ?? { token: newContents(pve.db) },
    snapshots: {},
    ...(name.owner === undefined ? {} : { owner: name.owner }),
  };
  putVolume(pve.db, storage, volume);
  return volume;
}

function fileName(pve: Pve, storage: StorageRecord, wanted: Allocation, format: string): string {
  const name = wanted.name ?? freeDiskName(pve, storage, wanted.host, wanted.vmid, format);
  const named = parseImageFile(name).format;
  if (named !== format) {
    throw new PveError(500, `illegal name '${name}' - wrong extension for format ('${named} != '${format}')`);
  }
  return name;
}

function blockName(pve: Pve, storage: StorageRecord, wanted: Allocation, format: string): string {
  const subvolume = format === 'subvol' && storage.type === 'zfspool';
  if (format !== 'raw' && !subvolume) {
    throw new PveError(500, `unsupported format '${format}' at /usr/share/perl5/PVE/Storage.pm line 1.`);
  }
  const prefix = subvolume ? 'subvol' : 'vm';
  if (wanted.name !== undefined && !wanted.name.startsWith(`${prefix}-${wanted.vmid}-`)) {
    throw new PveError(500, `illegal name '${wanted.name}' - should be '${prefix}-${wanted.vmid}-*'`);
  }
  return wanted.name ?? freeDiskName(pve, storage, wanted.host, wanted.vmid, format);
}

/** The lowest number no disk of the VM has on this storage, whatever its format; freed numbers come back. */
export function freeDiskName(
  pve: Pick<Pve, 'db'>,
  storage: StorageRecord,
  host: string,
  vmid: number,
  format: string,
): string {
  const taken = new Set<number>();
  for (const volume of volumesOn(pve.db, storage, host, vmid)) {
    const name = volume.path.slice(volume.path.lastIndexOf('/') + 1);
    const match = /^(?:vm|base|subvol|basevol)-(\d+)-disk-(\d+)(?:\.|$)/.exec(name);
    if (match && Number(match[1]) === vmid) taken.add(Number(match[2]));
  }
  let number = 0;
  while (taken.has(number)) number += 1;
  const prefix = format === 'subvol' ? 'subvol' : 'vm';
  return `${prefix}-${vmid}-disk-${number}${isFileStorage(storage) ? `.${format}` : ''}`;
}

function alreadyThere(storage: StorageRecord, name: string, place: string): PveError {
  if (storage.type === 'zfspool') {
    return new PveError(500, `zfs error: cannot create '${storage.pool}/${name}': dataset already exists`);
  }
  if (isLvm(storage)) {
    return new PveError(
      500,
      `lvcreate '${storage.pool}/${name}' error:   Logical Volume "${name}" already exists in volume group "${storage.pool}"`,
    );
  }
  return new PveError(500, `disk image '${place}' already exists`);
}

/** The fault `storage-full` strikes, or what must be written at once does not fit. */
export function assertSpace(
  pve: Pve,
  storage: StorageRecord,
  host: string,
  name: string,
  place: string,
  bytes: number,
): void {
  const full = pve.core.faults.strikes('storage-full', storage.id, `${host}/${storage.id}`);
  if (!full && bytes <= spaceOf(pve, storage, host).avail) return;
  if (storage.type === 'zfspool') {
    throw new PveError(500, `zfs error: cannot create '${storage.pool}/${name}': out of space`);
  }
  if (storage.type === 'lvm') {
    const group = storage.pool ?? 'pve';
    throw new PveError(
      500,
      `lvcreate '${group}/${name}' error:   Volume group "${group}" has insufficient free space`,
    );
  }
  if (storage.type === 'lvmthin') {
    throw new PveError(500, `lvcreate '${storage.pool}/${name}' error:   Free space in pool exceeded`);
  }
  throw new PveError(500, `unable to create image: qemu-img: ${place}: No space left on device`);
}

function formatting(place: string, format: string, size: number): string {
  if (format === 'qcow2') {
    return `Formatting '${place}', fmt=qcow2 cluster_size=65536 extended_l2=off preallocation=metadata compression_type=zlib size=${size} lazy_refcounts=off refcount_bits=16`;
  }
  return `Formatting '${place}', fmt=${format} size=${size}${format === 'raw' ? ' preallocation=off' : ''}`;
}

/** Destroying what is not there is no error (recording loose-volumes), a base with clones is. */
export function free(pve: Pve, host: string, volid: string, log: Log = NO_LOG): void {
  const { storage, volume: name } = locate(pve, volid);
  const volume = volumeAt(pve.db, storage, host, name.place);
  if (name.isBase && hasClones(pve.db, storage, host, name.place)) {
    throw new PveError(500, `base volume '${requireVolumeId(volid).name}' is still in use by linked clones`);
  }
  if (!volume) {
    if (isFileStorage(storage)) log(`disk image '${volumePath(storage, name)}' does not exist`);
    return;
  }
  if (volume.protected) {
    throw new PveError(500, `cannot remove protected volume '${volume.path}' on '${storage.id}'`);
  }
  deleteVolume(pve.db, storage, volume);
}

/** Frees what was made by an operation that failed; what cannot be freed stays. */
export function freeAll(pve: Pve, host: string, volids: Iterable<string>): void {
  for (const volid of volids) free(pve, host, volid);
}

interface CopySource {
  readonly data: VolumeContent;
  readonly used: number;
  readonly size: number;
  /** As qemu-img reads it. */
  readonly file: { readonly path: string; readonly format: string };
}

/** A full copy: the data goes along, the snapshots do not. */
export function copyVolume(
  pve: Pve,
  source: CopySource,
  wanted: Omit<Allocation, 'data' | 'used'>,
  log: Log,
): VolumeRecord {
  const storage = requireStorageOnNode(pve, wanted.storage, wanted.host);
  const { avail } = spaceOf(pve, storage, wanted.host);
  // A thin volume is made whatever its contents need: the storage gets full while they are written.
  const fits = isThick(storage) || source.used <= avail;
  const { data } = source;
  const volume = allocate(pve, { ...wanted, data, used: fits ? source.used : 0 }, log);
  log(`allocated target volume '${volumeId(volume)}'`);
  log(`transferred 0.0 B of ${binarySize(source.size)} (0.00%)`);
  const fills = pve.core.faults.strikes('storage-fills', storage.id, `${wanted.host}/${storage.id}`);
  if (!fits || fills) throw copyFailed(pve, source, storage, volume, fits ? source.used / 2 : avail, log);
  log(`transferred ${binarySize(source.size)} of ${binarySize(source.size)} (100.00%)`);
  return volume;
}

/** What was allocated for the copy is freed again (qemu-server `qemu_img_convert`, and whoever called it). */
function copyFailed(
  pve: Pve,
  { file, size }: CopySource,
  storage: StorageRecord,
  volume: VolumeRecord,
  written: number,
  log: Log,
): PveError {
  const part = Math.min(written, size);
  log(`transferred ${binarySize(part)} of ${binarySize(size)} (${((part / size) * 100).toFixed(2)}%)`);
  log(`qemu-img: error while writing at byte ${Math.floor(part / 512) * 512}: No space left on device`);
  deleteVolume(pve.db, storage, volume);
  const target = volumePath(storage, parseVolumeName(storage, volume.path));
  const zeroed = storage.type === 'lvm' ? '' : 'zeroinit:';
  const command = `/usr/bin/qemu-img convert -p -n -f ${file.format} -O ${volume.format} ${file.path} ${zeroed}${target}`;
  return new PveError(500, `copy failed: command '${command}' failed: exit code 1`);
}

function isThick({ type, sparse }: StorageRecord): boolean {
  return type === 'lvm' || (type === 'zfspool' && sparse === false);
}

export function binarySize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
