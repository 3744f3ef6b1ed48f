/** Storages as a host sees them. */
import { type Pve, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { usedOn } from '../volumes.js';
import { isFileStorage, parseVolumeName, requireVolumeId, type VolumeName } from './volume-name.js';

export function requireStorage(pve: Pick<Pve, 'db'>, id: string): StorageRecord {
  const storage = pve.db.storages.get(id);
  if (!storage) throw new PveError(500, `storage '${id}' does not exist`);
  return storage;
}

export function isOnNode(storage: StorageRecord, node: string): boolean {
  return storage.nodes.length === 0 || storage.nodes.includes(node);
}

export function isUsable(storage: StorageRecord, node: string): boolean {
  return !storage.disable && isOnNode(storage, node);
}

export function requireStorageOnNode(pve: Pick<Pve, 'db'>, id: string, node: string): StorageRecord {
  const storage = requireStorage(pve, id);
  if (storage.disable) throw new PveError(500, `storage '${id}' is disabled`);
  if (!isOnNode(storage, node)) {
    throw new PveError(500, `storage '${id}' is not available on node '${node}'`);
  }
  return storage;
}

export function locate(pve: Pick<Pve, 'db'>, volid: string): { storage: StorageRecord; volume: VolumeName } {
  const split = requireVolumeId(volid);
  const storage = requireStorage(pve, split.storage);
  return { storage, volume: parseVolumeName(storage, split.name) };
}

export function takesFormat(storage: StorageRecord, format: string): boolean {
  return isFileStorage(storage) ? ['raw', 'qcow2', 'vmdk'].includes(format) : format === 'raw';
}

/** Of images that are requested without a format. */
export function defaultFormat({ options }: StorageRecord): string {
  return String(options?.format ?? 'raw');
}

export interface Space {
  readonly total: number;
  readonly used: number;
  readonly avail: number;
}

export function spaceOf(pve: Pick<Pve, 'db'>, storage: StorageRecord, node: string): Space {
  const used = Math.min(usedOn(pve.db, storage, node), storage.total);
  return { total: storage.total, used, avail: storage.total - used };
}
