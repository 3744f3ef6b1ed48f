/** Guests of others that could not be read: each may use a volume that its host sees, so none of those is deleted. */
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed } from '../../observe/observed.js';
import type { Blocker } from './claims.js';

/** `host`: the one that the volume is deleted on. */
export function unreadUser(observed: Observed, host: string, volid: string): Blocker | undefined {
  const storage = observed.storages[`${host}/${storageOfVolume(volid)}`];
  const guest = (observed.unread ?? []).find((one) => storage?.shared !== false || one.host === host);
  if (!guest) return undefined;
  return {
    why: `${guest.type === 'lxc' ? 'container' : 'VM'} ${guest.vmid} on ${guest.host} could not be read and may use ${volid}`,
    advice: `run it again when ${guest.host} answers`,
  };
}
