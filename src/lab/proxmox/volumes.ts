/** The volumes of all hosts: found by key, by storage and by owner without looking at every one. */
import type { VolumeContent } from '../lab.js';
import type { Pve } from './api.js';
import type { PveDb, StorageRecord, VolumeRecord } from './db.js';
import { parseVolumeName, splitVolumeId } from './storage/volume-name.js';

interface VolumeIndex {
  readonly keys: Set<string>;
  /** By pool of volumes (a shared storage, or a host's own). */
  readonly pools: Map<string, PoolIndex>;
}

interface PoolIndex {
  readonly keys: Set<string>;
  readonly owners: Map<number, Set<string>>;
  /** Linked clones by the place of their base volume. */
  readonly clones: Map<string, Set<string>>;
  used: number;
}

const indexes = new WeakMap<PveDb['volumes'], VolumeIndex>();

/** Built when first asked for, and again if someone else filled the table (a profile). */
function indexOf(db: PveDb): VolumeIndex {
  const known = indexes.get(db.volumes);
  if (known && known.keys.size === db.volumes.size) return known;
  const index: VolumeIndex = { keys: new Set(), pools: new Map() };
  indexes.set(db.volumes, index);
  for (const [key, volume] of db.volumes.entries()) enter(index, key, volume);
  return index;
}

function poolKey(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

function enter(index: VolumeIndex, key: string, volume: VolumeRecord): void {
  let pool = index.pools.get(poolKey(key));
  if (!pool) {
    pool = { keys: new Set(), owners: new Map(), clones: new Map(), used: 0 };
    index.pools.set(poolKey(key), pool);
  }
  index.keys.add(key);
  pool.keys.add(key);
  pool.used += volume.used;
  if (volume.owner !== undefined) addTo(pool.owners, volume.owner, key);
  if (volume.parent !== undefined) addTo(pool.clones, volume.parent, key);
}

function leave(index: VolumeIndex, key: string, volume: VolumeRecord): void {
  const pool = index.pools.get(poolKey(key));
  index.keys.delete(key);
  if (!pool) return;
  pool.keys.delete(key);
  pool.used -= volume.used;
  if (volume.owner !== undefined) pool.owners.get(volume.owner)?.delete(key);
  if (volume.parent !== undefined) pool.clones.get(volume.parent)?.delete(key);
}

function addTo<K>(map: Map<K, Set<string>>, at: K, key: string): void {
  const set = map.get(at);
  if (set) set.add(key);
  else map.set(at, new Set([key]));
}

function poolOf(storage: StorageRecord, host: string): string {
  return storage.shared ? storage.id : `${host}/${storage.id}`;
}

export function volumeKey(storage: StorageRecord, host: string, place: string): string {
  return `${poolOf(storage, host)}:${place}`;
}

/** The volume a volid means on this host; `undefined` if there is none, or no such storage. */
export function findVolume(db: PveDb, host: string, volid: string): VolumeRecord | undefined {
  return placeVolume(db, host, volid).volume;
}

/** Where a volid was looked for: as long as `storage` and `volume` are the records there, it means the same. */
export interface PlacedVolume {
  readonly storageId: string;
  readonly storage: StorageRecord | undefined;
  readonly key: string | undefined;
  readonly volume: VolumeRecord | undefined;
}

export function placeVolume(db: PveDb, host: string, volid: string): PlacedVolume {
  const split = splitVolumeId(volid);
  const storageId = split?.storage ?? '';
  const storage = split && db.storages.get(storageId);
  const key = storage && volumeKey(storage, host, placeOf(storage, split.name));
  return { storageId, storage, key, volume: key === undefined ? undefined : db.volumes.get(key) };
}

/** Names are parsed again and again, mostly the same ones; a storage that changes is another record. */
const places = new WeakMap<StorageRecord, Map<string, string>>();

function placeOf(storage: StorageRecord, name: string): string {
  let known = places.get(storage);
  if (!known) {
    known = new Map();
    places.set(storage, known);
  }
  const place = known.get(name) ?? parseVolumeName(storage, name).place;
  known.set(name, place);
  return place;
}

export function volumeAt(
  db: PveDb,
  storage: StorageRecord,
  host: string,
  place: string,
): VolumeRecord | undefined {
  return db.volumes.get(volumeKey(storage, host, place));
}

export function putVolume(db: PveDb, storage: StorageRecord, volume: VolumeRecord): void {
  const key = volumeKey(storage, volume.host, volume.path);
  const index = indexOf(db);
  const before = db.volumes.get(key);
  if (before) leave(index, key, before);
  db.volumes.put(key, volume);
  enter(index, key, volume);
}

export function deleteVolume(db: PveDb, storage: StorageRecord, volume: VolumeRecord): void {
  const key = volumeKey(storage, volume.host, volume.path);
  const index = indexOf(db);
  leave(index, key, volume);
  db.volumes.delete(key);
}

/** All volumes of a storage as seen by a host, or those of one owner. */
export function volumesOn(db: PveDb, storage: StorageRecord, host: string, owner?: number): VolumeRecord[] {
  const pool = indexOf(db).pools.get(poolOf(storage, host));
  const keys = owner === undefined ? pool?.keys : pool?.owners.get(owner);
  return [...(keys ?? [])].flatMap((key) => db.volumes.get(key) ?? []);
}

export function hasClones(db: PveDb, storage: StorageRecord, host: string, place: string): boolean {
  return (indexOf(db).pools.get(poolOf(storage, host))?.clones.get(place)?.size ?? 0) > 0;
}

/** Bytes taken on a storage. */
export function usedOn(db: PveDb, storage: StorageRecord, host: string): number {
  return indexOf(db).pools.get(poolOf(storage, host))?.used ?? 0;
}

/** How configs name the volume: a linked clone carries its base. */
export function volumeId(volume: VolumeRecord): string {
  return `${volume.storage}:${volume.parent === undefined ? '' : `${volume.parent}/`}${volume.path}`;
}

/** A number that no contents had before. */
export function newContents(db: PveDb): number {
  const token = Number(db.settings.get('contents') ?? 0) + 1;
  db.settings.put('contents', token);
  return token;
}

/** What a guest writes. Nothing happens if the volume has gone meanwhile. */
export function writeVolume(pve: Pick<Pve, 'db'>, host: string, volid: string, content: VolumeContent): void {
  const volume = findVolume(pve.db, host, volid);
  const storage = volume && pve.db.storages.get(volume.storage);
  if (volume && storage) {
    putVolume(pve.db, storage, { ...volume, data: { ...content, token: newContents(pve.db) } });
  }
}
