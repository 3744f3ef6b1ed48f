/** One entry of `nodes`: a machine with its disks and where they are. */

import type { Config, NicConfig, NodeConfig } from '../../config/config.js';
import type { NodeDesign } from '../../design/design.js';
import { dataSlotsAtCreate, type SlottedDrive, talosSlotsAtCreate } from '../../design/slots.js';
import { smbiosUuidOf } from '../../formats/marks/identities.js';
import { withoutSecretsNote } from '../../formats/marks/secrets-note.js';
import { MIB } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { advancedOf } from './advanced-model.js';
import type { HclValue } from './hcl-print.js';
import { type KeptSlots, keepSlots } from './kept-slots.js';
import { type Values, wholeGib } from './values.js';

/** What is taken over from a living cluster. */
export type TofuFacts = Pick<Observed, 'vms' | 'images'> & {
  readonly access: Pick<Observed['access'], 'pools'>;
};

/** What an export goes by besides the design: a living cluster, and what was exported before. */
export interface TofuSources {
  readonly observed?: TofuFacts;
  readonly kept?: KeptSlots;
}

/** Where the VM is; where it should be as long as there is none. */
export function hostOf(node: NodeDesign, observed?: TofuFacts): string {
  return (observed && visibleVm(observed, node.talosVm.vmid))?.host ?? node.host;
}

export function nodeValues(
  node: NodeDesign,
  said: NodeConfig,
  config: Config,
  shared: Values,
  { observed, kept }: TofuSources,
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
    proxmox_node: hostOf(node, observed),
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
    description: descriptionOf(node, said),
    data_description:
      node.dataVm?.options.description === undefined ? null : String(node.dataVm.options.description),
    smbios_uuid: said.uuid ?? smbiosUuidOf(config.cluster, node.talosVm.vmid),
    tpm: Object.values(node.talosVm.auxiliary).some((drive) => drive.kind === 'tpm'),
    talos_version: node.talosVersion,
    schematic_id: node.schematicId,
    image: imageOf(node),
    advanced: Object.fromEntries(own),
    nics: said.nics.slice(1).map((nic, i) => furtherNic(nic, macOf(node, i + 1))),
    pci: vm.pci.map((device) => ({ ...device })),
    disks: disks(node, { ...(observed && { observed }), ...(kept && { kept }) }),
  };
}

function macOf(node: NodeDesign, index: number): string {
  return /=([0-9A-F:]{17})/.exec(String(node.talosVm.options[`net${index}`] ?? ''))?.[1] ?? '';
}

/** Without oxherd's own notes: read back they would stand there twice. */
function descriptionOf({ talosVm }: NodeDesign, { layout, vm }: NodeConfig): string | null {
  if (layout === 'single') return vm.description ?? null;
  const { description } = talosVm.options;
  return description === undefined ? null : withoutSecretsNote(String(description));
}

/** File name of the image or ISO on the image storage. */
export function imageOf(node: NodeDesign): string {
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

/** Where each drive is: as it was found, else as it was exported before, else as on an empty Proxmox. */
function disks(node: NodeDesign, { observed, kept }: TofuSources): Values {
  const before = kept?.get(node.name);
  const earlier = (key: 'interface' | 'data_interface'): ReadonlyMap<string, string> =>
    new Map(
      node.drives.flatMap(({ name, wwn }) => {
        const slot = before?.get(name)?.[key];
        return slot === undefined ? [] : [[wwn, slot] as const];
      }),
    );
  const at = (vmid: number, slots: readonly SlottedDrive[], key: 'interface' | 'data_interface') =>
    slotsOf(vmid, slots, observed, earlier(key));
  const talos = at(node.talosVm.vmid, talosSlotsAtCreate(node), 'interface');
  const data = node.dataVm
    ? at(node.dataVm.vmid, dataSlotsAtCreate(node), 'data_interface')
    : new Map<string, string>();
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
  atCreate: readonly SlottedDrive[],
  observed: TofuFacts | undefined,
  earlier: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const slots = new Map(keepSlots(new Map(atCreate.map(({ slot, drive }) => [drive.wwn, slot])), earlier));
  const config = (observed && visibleVm(observed, vmid))?.config;
  if (!config?.known) return slots;
  for (const [key, value] of Object.entries(config.value.values)) {
    const wwn = /^scsi\d+$/.test(key) ? /(?:^|,)wwn=(0x[0-9a-f]+)/i.exec(value)?.[1] : undefined;
    if (wwn !== undefined && slots.has(wwn)) slots.set(wwn, key);
  }
  return slots;
}
