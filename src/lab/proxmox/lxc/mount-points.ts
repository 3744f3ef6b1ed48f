/** Volumes of containers: made by `STORAGE:GIGABYTES`, kept as unused when their mount point goes. */
import { type Call, type Pve, PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import type { Caller } from '../http/request.js';
import { allocate } from '../storage/allocate.js';
import { requireStorageOnNode } from '../storage/storages.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { findVolume, volumeId } from '../volumes.js';
import { fieldsOf, isMount, isVolumeId, mountLine, sizeText } from './containers.js';

/** Before anything is made: each storage takes container directories, and the caller may use it. */
export function checkMounts(call: Call, host: string, settings: Readonly<Record<string, string>>): void {
  for (const [key, line] of Object.entries(settings).filter(([name]) => isMount(name))) {
    const { volume = '', mp } = fieldsOf(key, line);
    if (key !== 'rootfs' && mp === undefined) {
      throw PveError.parameter({
        [key]: 'invalid format - format error\nmp: property is missing and it is not optional\n',
      });
    }
    if (isVolumeId(volume)) requireRootDir(call, host, splitVolumeId(volume)?.storage ?? '');
    else if (!call.who.isRoot)
      throw new PveError(403, 'Permission check failed (mount point type bind is only allowed for root@pam)');
  }
}

export function requireRootDir(call: Caller, host: string, id: string): void {
  const storage = requireStorageOnNode(call.pve, id, host);
  if (!storage.content.includes('rootdir')) {
    throw PveError.parameter({ storage: `storage '${id}' does not support container directories` });
  }
  call.require(`/storage/${id}`, ['Datastore.AllocateSpace']);
}

const GIBIBYTE = 1024 ** 3;

/** The line as it is kept: with a volume that was made where one was asked for. */
export function mounted(pve: Pve, { host, vmid }: ContainerRecord, key: string, line: string): string {
  const fields = fieldsOf(key, line);
  const { volume = '' } = fields;
  const [, storage, wanted] = /^([^:]+):(\d+(?:\.\d+)?)$/.exec(volume) ?? [];
  if (storage !== undefined) {
    const made = allocate(pve, { host, storage, vmid, size: Math.ceil(Number(wanted) * GIBIBYTE) });
    return mountLine({ ...fields, volume: volumeId(made), size: sizeText(made.size) });
  }
  if (!isVolumeId(volume)) return mountLine(fields);
  const found = findVolume(pve.db, host, volume);
  if (!found) throw new PveError(500, `volume '${volume}' does not exist`);
  return mountLine({ ...fields, size: sizeText(found.size) });
}

/** Volumes that the config names. */
export function volumesOf(config: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(config).flatMap(([key, line]) => {
    if (/^unused\d+$/.test(key)) return [line];
    return isMount(key) ? [fieldsOf(key, line).volume ?? ''] : [];
  });
  return named.filter(isVolumeId);
}

/** What a mount point had stays with the container, unused. */
export function withUnused(
  config: Record<string, string>,
  volume: string | undefined,
): Record<string, string> {
  if (volume === undefined || !isVolumeId(volume) || volumesOf(config).includes(volume)) return config;
  let index = 0;
  while (config[`unused${index}`] !== undefined) index += 1;
  return { ...config, [`unused${index}`]: volume };
}
