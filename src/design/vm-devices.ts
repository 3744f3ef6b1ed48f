/** Network, passthrough, SMBIOS and helper drives of a Talos VM. */
import type { Config, NicConfig, NodeConfig } from '../config/config.js';
import { smbiosUuidOf } from '../formats/marks/identities.js';
import { nodeMacs } from '../formats/marks/node-macs.js';
import { printNet, printPropertyString } from '../formats/proxmox/property-string.js';
import { OxherdError } from '../model/error.js';
import type { Mac } from '../model/identity.js';
import type { AuxiliaryDrive } from './design.js';
import { formOf } from './vm-form.js';

type Options = Record<string, string | number>;

export function macsOf(config: Config, node: NodeConfig): readonly Mac[] {
  return nodeMacs(config, node);
}

export function netOptions(config: Config, node: NodeConfig): Options {
  const macs = macsOf(config, node);
  return Object.fromEntries(node.nics.map((nic, index) => [`net${index}`, netLine(node, nic, macs[index])]));
}

function netLine(node: NodeConfig, nic: NicConfig, mac: Mac | undefined): string {
  const firewall = formOf(node.layout).flag(nic.firewall);
  return printNet({
    model: 'virtio',
    ...(mac !== undefined && { mac }),
    options: {
      bridge: nic.bridge,
      ...(firewall !== undefined && { firewall: String(firewall) }),
      ...(nic.mtu !== undefined && { mtu: String(nic.mtu) }),
      ...(nic.queues !== undefined && { queues: String(nic.queues) }),
      ...(nic.vlan !== undefined && nic.vlan > 0 && { tag: String(nic.vlan) }),
    },
  });
}

/** What the first boot learns from the cloud-init drive; nothing where DHCP tells it. */
export function cloudInitOptions(config: Config, node: NodeConfig): Options {
  const { network } = config;
  if (network.firstBoot === 'dhcp') return {};
  const options: Options = {
    ipconfig0: printPropertyString({ ip: `${node.ip}/${network.subnet.prefix}`, gw: network.gateway }),
  };
  for (const [index, { address }] of node.nics.entries()) {
    if (index === 0 || address === undefined) continue;
    options[`ipconfig${index}`] = address === 'dhcp' ? 'ip=dhcp' : `ip=${address.ip}/${address.prefix}`;
  }
  const dns = node.dns ?? network.dns;
  if (dns.length > 0) options.nameserver = dns.join(' ');
  if (network.searchDomains.length > 0) options.searchdomain = network.searchDomains.join(' ');
  return options;
}

/** Devices by their cluster-wide mapping: a raw PCI address only root@pam may set. */
export function passthroughOptions(node: NodeConfig): Options {
  return Object.fromEntries(
    node.vm.pci.map((device, index) => [
      `hostpci${index}`,
      printPropertyString({
        mapping: device.mapping,
        pcie: device.pcie ? 1 : 0,
        rombar: device.rombar ? 1 : 0,
        'x-vga': device.xvga ? 1 : 0,
      }),
    ]),
  );
}

/** Talos on nocloud reads the serial: `h=` is the host name, `i=` the instance id, which CSI takes as the vmid. */
export function talosSmbios(config: Config, node: NodeConfig): string {
  return printPropertyString({
    base64: 1,
    serial: btoa(`h=${node.name};i=${node.vmid}`),
    uuid: node.uuid ?? smbiosUuidOf(config.cluster, node.vmid),
  });
}

export function auxiliaryDrives(
  config: Config,
  node: NodeConfig,
  imageVolid: string,
): Readonly<Record<string, AuxiliaryDrive>> {
  const { storage } = node.vm;
  const drives: Record<string, AuxiliaryDrive> = {};
  if (node.vm.bios === 'ovmf') {
    drives.efidisk0 = { kind: 'efi', storage, efitype: '4m', preEnrolledKeys: false };
  }
  if (node.boot === 'iso') drives.ide2 = { kind: 'cdrom', volid: imageVolid };
  // On q35 CD-ROMs sit on the even slots of ide.
  if (config.network.firstBoot === 'static') {
    drives[node.boot === 'iso' ? 'ide0' : 'ide2'] = { kind: 'cloudinit', storage };
  }
  if (needsTpm(config)) {
    if (node.layout === 'data-vm') throw tpmRefused(node);
    drives.tpmstate0 = { kind: 'tpm', storage, version: 'v2.0' };
  }
  return drives;
}

function needsTpm({ talos }: Config): boolean {
  return talos.encryption?.state?.kind === 'tpm' || talos.encryption?.ephemeral?.kind === 'tpm';
}

/** The TPM's state holds the keys of the data, and would die with the VM that can be thrown away. */
function tpmRefused(node: NodeConfig): OxherdError {
  return new OxherdError('design.tpm', `${node.name}: a TPM key cannot be kept with the layout data-vm`, {
    where: node.name,
    advice: 'use the key `nodeID` or `static` for encryption, or the layout `single`',
  });
}
