/** Who may use a volume (pve-storage `check_volume_access`). */
import { PveError } from '../api.js';
import type { Caller } from '../http/request.js';
import { locate } from './storages.js';
import { splitVolumeId } from './volume-name.js';

/** `vmid`: the VM it shall be used for; its own volumes are always its own. */
export function requireVolumeAccess(call: Caller, volid: string, vmid?: number, type?: string): void {
  if (!splitVolumeId(volid)) {
    if (call.who.isRoot) return;
    throw new PveError(
      500,
      'Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 571.',
    );
  }
  const { storage, volume } = locate(call.pve, volid);
  if (type !== undefined && volume.type !== type) {
    throw new PveError(500, `unable to use volume ${volid} - content type needs to be '${type}'`);
  }
  const place = `/storage/${storage.id}`;
  if (call.allows(place, ['Datastore.Allocate'])) return;
  if (volume.type === 'iso' || volume.type === 'vztmpl' || volume.type === 'import') {
    call.require(place, ['Datastore.AllocateSpace', 'Datastore.Audit'], { any: true });
  } else if (volume.owner !== undefined && volume.owner === vmid) {
    // Its own.
  } else if (volume.type === 'backup' && volume.owner !== undefined) {
    call.require(place, ['Datastore.AllocateSpace']);
    call.require(`/vms/${volume.owner}`, ['VM.Backup']);
  } else if (volume.type === 'images' && volume.owner !== undefined) {
    call.require(place, ['Datastore.Audit']);
    call.require(`/vms/${volume.owner}`, ['VM.Config.Disk']);
  } else {
    throw new PveError(500, `missing privileges to access ${volid}`);
  }
}

export function mayAccessVolume(call: Caller, volid: string): boolean {
  try {
    requireVolumeAccess(call, volid);
    return true;
  } catch (error) {
    if (error instanceof PveError) return false;
    throw error;
  }
}
