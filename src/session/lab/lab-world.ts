/** The world that a config names: an empty lab is built with it, so that the config fits. */
import type { Config } from '../../config/config.js';
import { macsOf } from '../../design/vm-devices.js';
import type { LabPartsOptions } from '../../lab/parts.js';
import { type LabWorld, worldFor } from '../../lab/world.js';

export function worldOf(config: Config): LabWorld {
  const storages = new Set([
    ...config.nodes.map((node) => node.vm.storage),
    ...config.volumes.flatMap((volume) =>
      'storage' in volume && volume.storage !== undefined ? [volume.storage] : [],
    ),
    ...(config.kubernetes.csi?.storageClasses ?? []).map((storageClass) => storageClass.storage),
  ]);
  // What the config keeps as a file needs a storage that keeps files.
  const files = new Set(
    config.volumes.flatMap((volume) =>
      volume.type === 'proxmox-csi' && volume.format === 'qcow2' ? [volume.storage] : [],
    ),
  );
  const hosts = new Set([
    ...config.hosts.map((host) => host.name),
    ...config.nodes.flatMap((node) => (node.host === 'auto' ? node.hostChoices : [node.host])),
    ...config.volumes.flatMap((volume) => (volume.type === 'proxmox-csi' ? [volume.host] : [])),
  ]);
  return worldFor({
    hosts: [...hosts].sort(),
    storages: [
      ...[...storages].sort().map((id) => ({
        id,
        content: ['images', 'rootdir'],
        ...(files.has(id) && { type: 'dir' as const }),
      })),
      { id: config.proxmox.imageStorage, type: 'dir' as const, content: ['import', 'iso'] },
    ],
    bridges: bridgesOf(config),
    pciMappings: [...new Set(config.nodes.flatMap((node) => node.vm.pci.map((pci) => pci.mapping)))].sort(),
    // Proxmox's own models are known to it; those that an administrator defines are not.
    cpuModels: [...new Set(config.nodes.map((node) => node.vm.cpuType))]
      .filter((type) => type.startsWith('custom-'))
      .sort(),
  });
}

/** Each carries what its NICs are to send; a bridge is made with Proxmox's own MTU otherwise. */
function bridgesOf({ nodes }: Config): { iface: string; mtu?: number }[] {
  const nics = nodes.flatMap((node) => node.nics);
  return [...new Set(nics.map((nic) => nic.bridge))].sort().map((iface) => {
    const mtu = Math.max(...nics.filter(({ bridge }) => bridge === iface).map((nic) => nic.mtu ?? 0));
    return { iface, ...(mtu > 1_500 && { mtu }) };
  });
}

/**
 * What a person with machines that boot by DHCP has in the router: an address for each MAC. Machines that find theirs
 * on a cloud-init drive ask for none.
 */
export function leasesOf(config: Config): NonNullable<LabPartsOptions['leases']> {
  const { subnet, gateway, firstBoot } = config.network;
  if (firstBoot !== 'dhcp') return {};
  const { prefix } = subnet;
  return Object.fromEntries(
    config.nodes.flatMap((node) =>
      macsOf(config, node)
        .slice(0, 1)
        .map((mac) => [mac, { ip: node.ip, prefix, gateway }] as const),
    ),
  );
}
