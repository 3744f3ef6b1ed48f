/** Disk volumes of the storages in use: a volume is present, absent or unread. */

import type { ObservedVolume } from './observed.js';
import { type Found, findIn, type Listed, unreadList } from './observed-lists.js';

/** Key `host/storage`, then volume id. */
export type ObservedVolumes = Readonly<Record<string, Listed<ObservedVolume>>>;

/** The only way to conclude that a volume does not exist. */
export function findVolume(volumes: ObservedVolumes, host: string, volid: string): Found<ObservedVolume> {
  const storage = volid.slice(0, volid.indexOf(':'));
  return findIn(volumesAt(volumes, host, storage), volid);
}

/** A storage that was not asked for proves nothing. */
export function volumesAt(volumes: ObservedVolumes, host: string, storage: string): Listed<ObservedVolume> {
  return volumes[`${host}/${storage}`] ?? unreadList(`the storage ${storage} of ${host} was not listed`);
}
