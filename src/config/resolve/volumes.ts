import type { ConfigFile } from '../schema/file.js';
import { defaultOf, withDefaults } from '../schema/key.js';
import { csiVolume, diskVolume, type VolumeEntry } from '../schema/volumes.js';
import type { VolumeConfig } from '../volume-config.js';

export function resolveVolumes(file: ConfigFile): VolumeConfig[] {
  return Object.entries(file.volumes ?? {}).map(([name, entry]) => resolveVolume(name, entry));
}

function resolveVolume(name: string, entry: VolumeEntry): VolumeConfig {
  switch (entry.type) {
    case 'directory':
      return { name, type: 'directory', on: entry.on ?? defaultOf(diskVolume.shape.on) };
    case 'disk':
      return { name, type: 'disk', ...onDisk(entry) };
    case 'partition':
      return {
        name,
        type: 'partition',
        place: entry.place ?? (entry.storage ? 'disk' : 'ephemeral'),
        ...(entry.place === undefined && entry.storage === undefined && { placeByDefault: true as const }),
        ...onDisk(entry),
      };
    case 'proxmox-csi':
      return { name, type: 'proxmox-csi', ...onCsi(entry) };
  }
}

function onCsi(entry: Extract<VolumeEntry, { type: 'proxmox-csi' }>) {
  const get = withDefaults(csiVolume.shape, entry);
  return {
    size: entry.size,
    host: entry.host,
    storage: get('storage'),
    format: get('format'),
    vmid: get('vmid'),
    filesystem: get('filesystem'),
    storageClass: get('storageClass'),
    backup: get('backup'),
  };
}

function onDisk(entry: Extract<VolumeEntry, { type: 'disk' | 'partition' }>) {
  return {
    on: entry.on ?? defaultOf(diskVolume.shape.on),
    size: entry.size,
    ...(entry.storage !== undefined && { storage: entry.storage }),
    ...(entry.was !== undefined && { was: entry.was }),
    filesystem: entry.filesystem ?? defaultOf(diskVolume.shape.filesystem),
    backup: entry.backup,
  };
}
