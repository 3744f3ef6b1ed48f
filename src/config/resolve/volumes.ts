import { parseVmid, type Vmid } from '../../model/identity.js';
import type { ConfigFile } from '../schema/file.js';
import type { VolumeEntry } from '../schema/volumes.js';
import type { VolumeConfig } from '../volume-config.js';

/** The id that the CSI driver and the Terraform module give to volumes without a VM. */
export const CSI_VMID = parseVmid(9999) as Vmid;

export function resolveVolumes(file: ConfigFile): VolumeConfig[] {
  return Object.entries(file.volumes ?? {}).map(([name, entry]) => resolveVolume(name, entry));
}

function resolveVolume(name: string, entry: VolumeEntry): VolumeConfig {
  switch (entry.type) {
    case 'directory':
      return { name, type: 'directory', on: entry.on ?? 'worker' };
    case 'disk':
      return { name, type: 'disk', ...onDisk(entry) };
    case 'partition':
      return { name, type: 'partition', place: entry.place ?? 'disk', ...onDisk(entry) };
    case 'proxmox-csi':
      return {
        name,
        type: 'proxmox-csi',
        size: entry.size,
        host: entry.host,
        storage: entry.storage ?? 'local-zfs',
        format: entry.format ?? 'raw',
        vmid: entry.vmid ?? CSI_VMID,
        filesystem: entry.filesystem ?? 'ext4',
        storageClass: entry.storageClass ?? 'proxmox-csi',
        backup: entry.backup ?? false,
      };
  }
}

function onDisk(entry: Extract<VolumeEntry, { type: 'disk' | 'partition' }>) {
  return {
    on: entry.on ?? 'worker',
    size: entry.size,
    ...(entry.storage !== undefined && { storage: entry.storage }),
    ...(entry.was !== undefined && { was: entry.was }),
    filesystem: entry.filesystem ?? 'xfs',
    backup: entry.backup,
  };
}
