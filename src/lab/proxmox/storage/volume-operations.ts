/** What can be done to a volume that is there: grow, rename, make a base, clone, snapshot. */
import { type Pve, PveError } from '../api.js';
import type { StorageRecord, VolumeRecord } from '../db.js';
import { deleteVolume, putVolume, volumeAt, volumeId } from '../volumes.js';
import { freeDiskName, type Log, roundedSize } from './allocate.js';
import { locate } from './storages.js';
import { isFileStorage, isLvm, type VolumeName, volumePath } from './volume-name.js';

/** What commands say of a volume that is not there differs by storage. */
export function missingVolume(storage: StorageRecord, volume: VolumeName, volid: string): PveError {
  if (storage.type === 'zfspool') {
    return new PveError(
      500,
      `zfs error: cannot open '${storage.pool}/${volume.name}': dataset does not exist`,
    );
  }
  return new PveError(500, `volume '${volid}' does not exist`);
}

export function requireVolume(pve: Pick<Pve, 'db'>, host: string, volid: string): VolumeRecord {
  const { storage, volume: name } = locate(pve, volid);
  const volume = volumeAt(pve.db, storage, host, name.place);
  if (!volume) throw missingVolume(storage, name, volid);
  return volume;
}

/** QEMU counts an image file in sectors, so a file of odd length looks a little larger (recording storage-read). */
export function virtualSize(volume: VolumeRecord): number {
  return Math.ceil(volume.size / 512) * 512;
}

export function resizeVolume(
  pve: Pve,
  host: string,
  volid: string,
  size: number,
  running: boolean,
  log: Log,
): void {
  const { storage, volume: name } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  // Volumes grow by whole KiB, whatever a config says of them.
  const padded = Math.ceil(size / 1024) * 1024;
  if (isFileStorage(storage)) {
    if (!['raw', 'qcow2'].includes(volume.format)) throw new PveError(500, "can't resize this image format");
    if (!Number.isSafeInteger(padded)) throw tooLarge(volumePath(storage, name), volume.format, padded);
    if (!running) log('Image resized.');
  }
  const grown = isFileStorage(storage) ? padded : roundedSize(storage, padded);
  putVolume(pve.db, storage, { ...volume, size: grown });
}

/** As QEMU's tool ends where no file can be that large. */
function tooLarge(path: string, format: string, size: number): PveError {
  const how = format === 'qcow2' ? 'metadata' : 'off';
  return new PveError(
    500,
    `command '/usr/bin/qemu-img resize '--preallocation=${how}' -f ${format} ${path} ${BigInt(size)}' failed: exit code 1`,
  );
}

type Feature = 'snapshot' | 'clone' | 'template' | 'copy' | 'rename' | 'sparseinit' | 'replicate';

const IMAGE_FORMATS = ['raw', 'qcow2', 'vmdk'];

/** pve-storage `volume_has_feature`; `snapshot`: asked of a snapshot of the volume. */
export function hasFeature(
  pve: Pick<Pve, 'db'>,
  feature: string,
  volid: string,
  options: { snapshot?: boolean } = {},
): boolean {
  const { storage, volume } = locate(pve, volid);
  const state = options.snapshot ? 'snap' : volume.isBase ? 'base' : 'current';
  const formats = isFeature(feature) ? featuresOf(storage)[feature]?.[state] : undefined;
  return formats?.includes(volume.format) ?? false;
}

function featuresOf(storage: StorageRecord): Features {
  if (storage.type === 'btrfs') return BTRFS_FEATURES;
  if (isFileStorage(storage)) return FILE_FEATURES;
  if (storage.type === 'lvm') return LVM_FEATURES;
  return storage.type === 'zfspool' ? ZFS_FEATURES : BLOCK_FEATURES;
}

function isFeature(text: string): text is Feature {
  return text in ZFS_FEATURES;
}

type Features = Partial<Record<Feature, Partial<Record<'current' | 'base' | 'snap', string[]>>>>;

const FILE_FEATURES: Features = {
  snapshot: { current: ['qcow2'], snap: ['qcow2'] },
  clone: { base: IMAGE_FORMATS },
  template: { current: IMAGE_FORMATS },
  copy: { base: IMAGE_FORMATS, current: IMAGE_FORMATS, snap: ['qcow2'] },
  sparseinit: { base: IMAGE_FORMATS, current: IMAGE_FORMATS },
  rename: { current: IMAGE_FORMATS },
};

const BLOCK_FEATURES: Features = {
  snapshot: { current: ['raw'], snap: ['raw'] },
  clone: { base: ['raw'] },
  template: { current: ['raw'] },
  copy: { base: ['raw'], current: ['raw'] },
  sparseinit: { base: ['raw'], current: ['raw'] },
  rename: { current: ['raw'] },
};

const ZFS_FEATURES: Features = { ...BLOCK_FEATURES, replicate: { base: ['raw'], current: ['raw'] } };

/** Thick volumes: no snapshots, so no linked clones and no templates either. */
const LVM_FEATURES: Features = {
  copy: { base: ['raw'], current: ['raw'] },
  rename: { current: ['raw'] },
};

const BTRFS_FEATURES: Features = {
  ...FILE_FEATURES,
  snapshot: { current: ['qcow2', 'raw'], snap: ['qcow2', 'raw'] },
  clone: { base: IMAGE_FORMATS, current: ['raw'], snap: ['raw'] },
  copy: { base: IMAGE_FORMATS, current: IMAGE_FORMATS, snap: ['qcow2', 'raw'] },
};

/** Gives the volume another place; what configs say of it is the caller's business. */
function moveTo(
  pve: Pve,
  storage: StorageRecord,
  volume: VolumeRecord,
  changes: Partial<VolumeRecord>,
): VolumeRecord {
  const moved = { ...volume, ...changes };
  deleteVolume(pve.db, storage, volume);
  putVolume(pve.db, storage, moved);
  return moved;
}

/** To another VM: the name says who owns it. Returns the new volid. */
export function renameVolume(pve: Pve, host: string, volid: string, vmid: number): string {
  const { storage, volume: name } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  const file = freeDiskName(pve, storage, host, vmid, name.format);
  const path = isFileStorage(storage) ? `${vmid}/${file}` : file;
  return volumeId(moveTo(pve, storage, volume, { path, owner: vmid }));
}

/** `vm-` becomes `base-`: no one writes it any more. Returns the new volid. */
export function createBase(pve: Pve, host: string, volid: string): string {
  const { storage, volume: name } = locate(pve, volid);
  if (name.isBase) throw new PveError(500, 'create_base not possible with base image');
  const volume = requireVolume(pve, host, volid);
  const base = name.place.replace(/(^|\/)vm-/, '$1base-');
  if (volumeAt(pve.db, storage, host, base)) {
    throw new PveError(500, `file '${volumePath(storage, { ...name, name: base })}' already exists`);
  }
  return volumeId(moveTo(pve, storage, volume, { path: base }));
}

/** A linked clone of a base volume. Returns its volid. */
export function cloneVolume(pve: Pve, host: string, volid: string, vmid: number): string {
  const { storage, volume: name } = locate(pve, volid);
  if (!name.isBase) throw new PveError(500, 'clone_image only works on base images');
  const base = requireVolume(pve, host, volid);
  const format = isFileStorage(storage) ? 'qcow2' : 'raw';
  const file = freeDiskName(pve, storage, host, vmid, format);
  const clone: VolumeRecord = {
    host,
    storage: storage.id,
    path: isFileStorage(storage) ? `${vmid}/${file}` : file,
    content: 'images',
    format,
    size: base.size,
    used: 0,
    owner: vmid,
    ...(isLvm(storage) ? {} : { parent: base.path }),
    ctime: Math.floor(pve.core.clock.now() / 1000),
    data: base.data,
    snapshots: {},
  };
  putVolume(pve.db, storage, clone);
  return volumeId(clone);
}

export function snapshotVolume(pve: Pve, host: string, volid: string, snapshot: string): void {
  const { storage } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  putVolume(pve.db, storage, {
    ...volume,
    snapshots: { ...volume.snapshots, [snapshot]: { size: volume.size, data: volume.data } },
  });
}

export function deleteVolumeSnapshot(pve: Pve, host: string, volid: string, snapshot: string): void {
  const { storage } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  const { [snapshot]: _gone, ...snapshots } = volume.snapshots;
  putVolume(pve.db, storage, { ...volume, snapshots });
}

/** ZFS goes back to the newest snapshot only (recording snapshots); qcow2 and thin LVs to any. */
export function assertRollback(pve: Pve, host: string, volid: string, snapshot: string): void {
  const { storage } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  if (!(snapshot in volume.snapshots)) {
    throw new PveError(500, `can't rollback, snapshot '${snapshot}' does not exist on '${volid}'`);
  }
  if (storage.type === 'zfspool' && Object.keys(volume.snapshots).at(-1) !== snapshot) {
    throw new PveError(500, `can't rollback, '${snapshot}' is not most recent snapshot on '${volid}'`);
  }
}

export function rollbackVolume(pve: Pve, host: string, volid: string, snapshot: string): void {
  const { storage } = locate(pve, volid);
  const volume = requireVolume(pve, host, volid);
  const state = volume.snapshots[snapshot];
  if (state) putVolume(pve.db, storage, { ...volume, size: state.size, data: state.data });
}
