/** The design in the words of the cluster template's terraform.tfvars, and what that file had no word for. */
import { stringify } from 'yaml';
import type { Config, NicConfig, NodeConfig } from '../../config/config.js';
import type { Design, DriveDesign, NodeDesign } from '../../design/design.js';
import { dataSlotsAtCreate, talosSlotsAtCreate } from '../../design/slots.js';
import { smbiosUuidOf } from '../../formats/identities.js';
import { formatCidr } from '../../model/address.js';
import { OxherdError } from '../../model/error.js';
import { formatSize, GIB, MIB } from '../../model/size.js';
import { formatVersion } from '../../model/version.js';
import type { Observed } from '../../observe/observed.js';
import type { HclValue } from './hcl-print.js';

/** What is taken over from a living cluster. */
export type TofuFacts = Pick<Observed, 'vms' | 'images'>;

type Values = Record<string, HclValue>;

/** Every variable of the exported root module with its value. */
export function tofuVariables(config: Config, design: Design, observed?: TofuFacts): Values {
  const nodes = design.nodes.flatMap((node) => {
    const said = config.nodes.find((each) => each.name === node.name);
    return said ? [{ node, said }] : [];
  });
  const first = nodes[0]?.said;
  const shared = sharedAdvanced(nodes.map(({ said }) => said));
  const { cluster, talos, network, proxmox } = config;
  return {
    proxmox_api_url: proxmox.endpoints[0] ?? '',
    proxmox_insecure: proxmox.tls.kind === 'insecure',
    proxmox_cluster: proxmox.cluster,
    proxmox_node: nodes[0]?.node.host ?? null,
    proxmox_pool: design.pool ?? null,
    image_datastore: proxmox.imageStorage,
    node_vlan_tag: first?.nics[0]?.vlan ?? null,
    cluster: {
      name: cluster.name,
      env: cluster.env,
      tag: design.cluster.tag,
      vip: cluster.vip ?? null,
      endpoint: cluster.endpoint ?? null,
      kubernetes_version: formatVersion(cluster.kubernetes),
      allow_scheduling_on_controlplane: cluster.scheduleOnControlPlanes,
      talos_version: formatVersion(talos.version),
      factory_url: talos.factory,
      platform: talos.platform,
      arch: talos.arch,
    },
    network: {
      cidr: formatCidr(network.subnet),
      gateway: network.gateway,
      dns_servers: [...network.dns],
      search_domains: [...network.searchDomains],
      ntp_servers: [...network.ntp],
      first_boot: network.firstBoot,
    },
    schematics: schematics(nodes),
    images: images(design),
    vm_defaults: first ? sizesOf(first) : {},
    vm_controller_defaults: roleSizes(config, 'controlplane'),
    vm_worker_defaults: roleSizes(config, 'worker'),
    vm_advanced: shared,
    nodes: nodes.map(({ node, said }) => nodeValues(node, said, config, shared, observed)),
    volumes: volumes(config),
    csi: csi(config),
  };
}

function sizesOf({ vm }: NodeConfig): Values {
  return {
    cores: vm.cores,
    sockets: vm.sockets,
    memory: vm.memory / MIB,
    disk_size: wholeGib(vm.disk, 'disk'),
  };
}

function roleSizes(config: Config, role: NodeConfig['role']): Values {
  const node = config.nodes.find((each) => each.role === role) ?? config.nodes[0];
  return node ? sizesOf(node) : {};
}

/** Keys that may be null: `null` cannot be said over another value, so these are shared by all nodes or by none. */
const NULLABLE = ['net_queues', 'disk_backup', 'disk_cache', 'disk_aio'];

function sharedAdvanced([first, ...others]: readonly NodeConfig[]): Values {
  if (!first) return {};
  const shared = advancedOf(first);
  const rest = others.map(advancedOf);
  for (const key of NULLABLE) if (rest.some((each) => each[key] !== shared[key])) shared[key] = null;
  return shared;
}

function advancedOf({ vm, nics: [nic] }: NodeConfig): Values {
  const { diskOptions } = vm;
  return {
    bios: vm.bios,
    machine: vm.machine,
    cpu_type: vm.cpuType,
    scsi_hw: vm.scsiHardware,
    balloon: vm.balloon / MIB,
    numa: vm.numa,
    qemu_agent: vm.agent,
    net_queues: nic?.queues ?? null,
    disk_discard: diskOptions.discard,
    disk_ssd: diskOptions.ssd,
    tags: [...vm.tags],
    network_bridge: nic?.bridge ?? 'vmbr0',
    ostype: vm.ostype,
    disk_backup: diskOptions.backup ?? null,
    disk_replicate: diskOptions.replicate,
    disk_cache: diskOptions.cache ?? null,
    disk_aio: diskOptions.aio ?? null,
    disk_iothread: diskOptions.iothread,
    net_firewall: nic?.firewall ?? false,
    on_boot: vm.onBoot,
  };
}

function nodeValues(
  node: NodeDesign,
  said: NodeConfig,
  config: Config,
  shared: Values,
  observed?: TofuFacts,
): Values {
  const { vm } = said;
  const own = Object.entries(advancedOf(said)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(shared[key]),
  );
  return {
    name: node.name,
    address: node.ip,
    mac_addr: macOf(node, 0),
    controller: node.role === 'controlplane',
    layout: node.layout,
    boot: node.boot,
    proxmox_node: observed?.vms[node.talosVm.vmid]?.host ?? node.host,
    vm_id: node.talosVm.vmid,
    data_vm_id: node.dataVm?.vmid ?? null,
    vm_cores: vm.cores,
    vm_sockets: vm.sockets,
    vm_memory: vm.memory / MIB,
    vm_disk_size: wholeGib(vm.disk, `${node.name}: disk`),
    vm_os_disk_size: wholeGib(vm.osDisk, `${node.name}: osDisk`),
    vm_startup_order: vm.startup?.order ?? null,
    vm_startup_delay: vm.startup?.up ?? null,
    vm_shutdown_delay: vm.startup?.down ?? null,
    mtu: said.nics[0]?.mtu ?? null,
    vlan_tag: said.nics[0]?.vlan ?? null,
    datastore: vm.storage,
    dns_servers: said.dns ? [...said.dns] : null,
    description:
      node.talosVm.options.description === undefined ? null : String(node.talosVm.options.description),
    data_description:
      node.dataVm?.options.description === undefined ? null : String(node.dataVm.options.description),
    smbios_uuid: smbiosUuidOf(config.cluster, node.talosVm.vmid),
    tpm: Object.values(node.talosVm.auxiliary).some((drive) => drive.kind === 'tpm'),
    talos_version: node.talosVersion,
    schematic_id: node.schematicId,
    image: imageOf(node),
    advanced: Object.fromEntries(own),
    nics: said.nics.slice(1).map((nic, i) => furtherNic(nic, macOf(node, i + 1))),
    pci: vm.pci.map((device) => ({ ...device })),
    disks: disks(node, observed),
  };
}

function macOf(node: NodeDesign, index: number): string {
  return /=([0-9A-F:]{17})/.exec(String(node.talosVm.options[`net${index}`] ?? ''))?.[1] ?? '';
}

/** File name of the image or ISO on the image storage. */
function imageOf(node: NodeDesign): string {
  const cdrom = Object.values(node.talosVm.auxiliary).find((drive) => drive.kind === 'cdrom');
  const volid = cdrom?.kind === 'cdrom' ? cdrom.volid : (node.drives[0]?.importFrom ?? '');
  return volid.slice(volid.lastIndexOf('/') + 1);
}

function furtherNic(nic: NicConfig, mac: string): Values {
  const { address } = nic;
  return {
    bridge: nic.bridge,
    mac_addr: mac,
    vlan_tag: nic.vlan ?? null,
    mtu: nic.mtu ?? null,
    queues: nic.queues ?? null,
    firewall: nic.firewall,
    address: address === undefined ? null : address === 'dhcp' ? 'dhcp' : `${address.ip}/${address.prefix}`,
  };
}

/** Where each drive is: as it was found, else as on an empty Proxmox. */
function disks(node: NodeDesign, observed?: TofuFacts): Values {
  const talos = slotsOf(node.talosVm.vmid, talosSlotsAtCreate(node), observed);
  const data = node.dataVm ? slotsOf(node.dataVm.vmid, dataSlotsAtCreate(node), observed) : new Map();
  const entries = node.drives.map((drive): [string, HclValue] => [
    drive.name,
    {
      interface: talos.get(drive.wwn) ?? 'scsi0',
      data_interface: data.get(drive.wwn) ?? null,
      size: wholeGib(drive.size, `${node.name}: ${drive.name}`),
      datastore: drive.storage,
      backup: drive.talosOptions.backup === '1',
    },
  ]);
  return Object.fromEntries(entries);
}

function slotsOf(
  vmid: number,
  atCreate: readonly { readonly slot: string; readonly drive: DriveDesign }[],
  observed?: TofuFacts,
): ReadonlyMap<string, string> {
  const slots = new Map<string, string>(atCreate.map(({ slot, drive }) => [drive.wwn, slot]));
  const config = observed?.vms[vmid]?.config;
  if (!config?.known) return slots;
  for (const [key, value] of Object.entries(config.value.values)) {
    const wwn = /^scsi\d+$/.test(key) ? /(?:^|,)wwn=(0x[0-9a-f]+)/i.exec(value)?.[1] : undefined;
    if (wwn !== undefined && slots.has(wwn)) slots.set(wwn, key);
  }
  return slots;
}

function schematics(nodes: readonly { node: NodeDesign; said: NodeConfig }[]): Values {
  return Object.fromEntries(
    nodes.map(({ node, said }) => [node.schematicId, stringify(said.schematic, { compat: 'yaml-1.1' })]),
  );
}

/** One download per host and file. */
function images(design: Design): Values {
  return Object.fromEntries(
    design.images.map((image) => [
      `${image.host}/${image.filename}`,
      { proxmox_node: image.host, content: image.content, file_name: image.filename, url: image.url },
    ]),
  );
}

function volumes(config: Config): Values {
  return Object.fromEntries(
    config.volumes.map((volume): [string, HclValue] => {
      const { name, ...rest } = volume;
      const known = Object.entries(rest).filter(([, value]) => value !== undefined);
      return [
        name,
        Object.fromEntries(
          known.map(([key, value]) => [
            key,
            key === 'size' && 'size' in volume ? formatSize(volume.size) : value,
          ]),
        ),
      ];
    }),
  );
}

function csi(config: Config): HclValue {
  const { csi: section } = config.kubernetes;
  if (!section) return null;
  return {
    delete: section.delete,
    accept_delete_risk: section.acceptDeleteRisk,
    storage_classes: Object.fromEntries(
      section.storageClasses.map(({ name, ...values }): [string, HclValue] => [name, { ...values }]),
    ),
  };
}

/** The provider takes whole gigabytes. */
function wholeGib(size: number, what: string): number {
  if (size % GIB === 0) return size / GIB;
  throw new OxherdError(
    'export.size',
    `${what} is not a whole number of GiB, and the provider takes no other`,
    {
      advice: `write ${Math.ceil(size / GIB)}GiB in the config`,
    },
  );
}
