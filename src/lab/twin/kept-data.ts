import { isSystemDisk } from '../talos/volumes/partitions.js';
import type { Twin } from './start-twin.js';

/** What guests wrote on disks other than system disks, by partition and by when it was begun, which stays. */
export function keptData({ lab }: Twin): string[] {
  const found: string[] = [];
  for (const volume of lab.proxmox.pve.db.volumes.values()) {
    if (volume.content !== 'images' || isSystemDisk(volume.data)) continue;
    for (const [label, data] of Object.entries(volume.data.data ?? {})) {
      const begun = data !== null && typeof data === 'object' && 'begun' in data ? data.begun : undefined;
      if (begun !== undefined) found.push(`${label} of VM ${begun}`);
    }
  }
  return found.sort();
}
