/** Partitions for which the config names no place stay where they are: on the disk of their own that a data VM has. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { Config } from '../../config/config.js';
import type { VolumeConfig } from '../../config/volume-config.js';
import { design } from '../../design/design-cluster.js';
import { diskDrives } from '../../formats/proxmox/vm-config.js';
import { attempt } from '../../observe/attempt.js';

/** The same object where nothing was left open; Proxmox is asked only where something was. */
export async function withFoundPlaces(config: Config, client: ProxmoxClient): Promise<Config> {
  if (!config.volumes.some(isOpen)) return config;
  const onDisks = { ...config, volumes: config.volumes.map(onDisk) };
  const vms = await attempt(() => client.vms());
  const found = new Set<string>();
  for (const { dataVm, drives } of design(onDisks).nodes) {
    const place = vms.known ? vms.value.find(({ vmid }) => vmid === dataVm?.vmid) : undefined;
    if (!place) continue;
    const lines = await attempt(() => client.vmConfig(place.node, place.vmid));
    const wwns = new Set(lines.known ? diskDrives(lines.value.values).map(({ wwn }) => wwn) : []);
    for (const { name, wwn } of drives) if (wwns.has(wwn)) found.add(name);
  }
  const volumes = config.volumes.map((volume) => (found.has(volume.name) ? onDisk(volume) : volume));
  return { ...config, volumes };
}

function isOpen(volume: VolumeConfig): boolean {
  return volume.type === 'partition' && volume.placeByDefault === true;
}

function onDisk(volume: VolumeConfig): VolumeConfig {
  return volume.type === 'partition' && isOpen(volume) ? { ...volume, place: 'disk' } : volume;
}
