/** One entry of `nodes` in what `oxherd export tofu` wrote. */
import type { Given, Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';

type Here = (...keys: string[]) => string[];

export function translateExportedNode(
  node: Section,
  shared: Section,
  schematics: ReadonlyMap<string, Given<Record<string, unknown>> | undefined>,
  to: Translation,
  computedUuid: (node: Section) => string | undefined,
): void {
  const name = node.required(node.text('name'), 'name', '"cp-1"');
  if (!name) return;
  const here: Here = (...keys) => ['nodes', name.value, ...keys];
  to.place(here(), node.path);
  const controller = node.required(node.flag('controller'), 'controller', 'true');
  to.move(here('role'), controller, (value) => (value ? 'controlplane' : 'worker'));
  to.move(here('host'), node.required(node.text('proxmox_node'), 'proxmox_node', '"pve1"'));
  to.move(here('ip'), node.required(node.text('address'), 'address', '"10.20.30.41"'));
  to.move(here('vmid'), node.required(node.integer('vm_id'), 'vm_id', '141'));
  to.move(here('mac'), node.text('mac_addr'));
  const uuid = node.text('smbios_uuid');
  // One that is computed stays so.
  if (uuid && uuid.value !== computedUuid(node)) to.move(here('uuid'), uuid);
  to.move(here('layout'), node.oneOf('layout', ['data-vm', 'single']));
  to.move(here('boot'), node.oneOf('boot', ['image', 'iso']));
  to.move(here('cores'), node.integer('vm_cores'));
  to.move(here('sockets'), node.integer('vm_sockets'));
  to.move(here('memory'), node.integer('vm_memory'), (size) => `${size}MiB`);
  to.move(here('disk'), node.integer('vm_disk_size'), (size) => `${size}GiB`);
  to.move(here('osDisk'), node.integer('vm_os_disk_size'), (size) => `${size}GiB`);
  to.move(here('startup', 'order'), node.integer('vm_startup_order', { least: 1, most: 100 }));
  to.move(here('startup', 'up'), node.integer('vm_startup_delay', { least: 0, most: 300 }));
  to.move(here('startup', 'down'), node.integer('vm_shutdown_delay', { least: 0, most: 600 }));
  to.move(here('mtu'), node.integer('mtu'));
  to.move(here('vlan'), node.integer('vlan_tag'));
  to.move(here('storage'), node.text('datastore'));
  to.move(here('dns'), node.texts('dns_servers'), (servers) => [...servers]);
  to.move(here('description'), node.text('description'));
  to.move(here('talosVersion'), node.text('talos_version'));
  const schematic = node.text('schematic_id');
  to.move(here('schematic'), schematic && schematics.get(schematic.value));
  translateNics(node, here, to);
  translateDevices(node, here, to);
  translateAdvanced(node.section('advanced'), shared, here, to);
  // Follows from the rest, and is there for OpenTofu.
  node.has('data_vm_id', 'data_description', 'image', 'disks', 'tpm');
  node.refuseUnknown();
}

function translateAdvanced(own: Section, shared: Section, here: Here, to: Translation): void {
  const first = <T>(read: (section: Section) => Given<T> | undefined): Given<T> | undefined =>
    read(own) ?? read(shared);
  const texts = {
    bios: ['bios'],
    machine: ['machine'],
    cpu_type: ['cpuType'],
    scsi_hw: ['scsiHardware'],
    network_bridge: ['bridge'],
    ostype: ['ostype'],
  } as const;
  for (const [there, keys] of Object.entries(texts))
    to.move(
      here(...keys),
      first((section) => section.text(there)),
    );
  for (const [there, key] of [
    ['disk_cache', 'cache'],
    ['disk_aio', 'aio'],
  ] as const) {
    const given = first((section) => section.text(there));
    if (given) to.move(here('diskOptions', key), given);
    else to.put(here('diskOptions', key), 'default', []);
  }
  const flags = {
    numa: ['numa'],
    qemu_agent: ['agent'],
    on_boot: ['onBoot'],
    net_firewall: ['firewall'],
    disk_discard: ['diskOptions', 'discard'],
    disk_ssd: ['diskOptions', 'ssd'],
    disk_backup: ['diskOptions', 'backup'],
    disk_replicate: ['diskOptions', 'replicate'],
    disk_iothread: ['diskOptions', 'iothread'],
  } as const;
  for (const [there, keys] of Object.entries(flags))
    to.move(
      here(...keys),
      first((section) => section.flag(there)),
    );
  to.move(
    here('balloon'),
    first((section) => section.integer('balloon')),
    (size) => (size === 0 ? 0 : `${size}MiB`),
  );
  to.move(
    here('queues'),
    first((section) => section.integer('net_queues', { least: 1, most: 16 })),
  );
  to.move(
    here('tags'),
    first((section) => section.texts('tags')),
    (tags) => [...tags],
  );
  own.refuseUnknown();
}

function translateNics(node: Section, here: Here, to: Translation): void {
  const nics = node.list('nics').map((nic) => {
    const address = nic.text('address')?.value;
    const values = {
      bridge: nic.text('bridge')?.value,
      mac: nic.text('mac_addr')?.value,
      vlan: nic.integer('vlan_tag')?.value,
      mtu: nic.integer('mtu')?.value,
      queues: nic.integer('queues')?.value,
      firewall: nic.flag('firewall')?.value,
      ...(address === 'dhcp' ? { dhcp: true } : address === undefined ? {} : fixedAddress(address)),
    };
    nic.refuseUnknown();
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  });
  if (nics.length > 0) to.put(here('nics'), nics, [...node.path, 'nics']);
}

/** `10.0.0.5/24` to the address and its network. */
function fixedAddress(text: string): { ip: string; subnet: string } {
  const [ip = '', prefix = '32'] = text.split('/');
  const bits = 32 - Number(prefix);
  const number = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const network = Math.floor(number / 2 ** bits) * 2 ** bits;
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(network / 2 ** shift) % 256);
  return { ip, subnet: `${parts.join('.')}/${prefix}` };
}

function translateDevices(node: Section, here: Here, to: Translation): void {
  const devices = node.list('pci').map((device) => {
    const values = {
      mapping: device.text('mapping')?.value,
      pcie: device.flag('pcie')?.value,
      rombar: device.flag('rombar')?.value,
      xvga: device.flag('xvga')?.value,
    };
    device.refuseUnknown();
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  });
  if (devices.length > 0) to.put(here('pci'), devices, [...node.path, 'pci']);
}
