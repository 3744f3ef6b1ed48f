/** What may stand in `defaults` and on a node alike. */
import { z } from 'zod';
import { optional, required } from './key.js';
import { nicKeys } from './network.js';
import { address, bridge, cidr, ipv4, mac, pattern, size, storageId, tag } from './values.js';

const pciMapping = pattern(/^[A-Za-z][A-Za-z0-9_-]+$/, 'the name of a PCI mapping', 'iGPU');

const pci = z.union([
  pciMapping,
  z.strictObject({
    mapping: required(pciMapping, 'Name of the resource mapping in Proxmox.'),
    pcie: optional(z.boolean(), 'Present it as PCI Express.', { byDefault: true }),
    rombar: optional(z.boolean(), "Show the device's ROM.", { byDefault: true }),
    xvga: optional(z.boolean(), 'Use it as the primary display.', { byDefault: false }),
  }),
]);

const MACHINE_TYPE = /^(pc|i440fx|q35|pc-(i440fx|q35)-[0-9][0-9a-z.+-]*|virt(-[0-9.+-]+)?)$/;
const machineType = pattern(MACHINE_TYPE, 'a machine type', 'q35').transform((type) =>
  type === 'i440fx' ? 'pc' : type,
);

const startup = z.strictObject({
  order: optional(z.int().min(1).max(100), 'Place in the order of starts.'),
  up: optional(z.int().min(0).max(300), 'Seconds to wait after starting it.'),
  down: optional(z.int().min(0).max(600), 'Seconds to wait for it to shut down.'),
});

export const diskOptionKeys = {
  discard: optional(z.boolean(), 'Pass discards on to the storage.', { byDefault: true }),
  ssd: optional(z.boolean(), 'Present disks as SSDs.', { byDefault: true }),
  iothread: optional(z.boolean(), 'A thread per disk; with `virtio-scsi-single` only.', { byDefault: true }),
  cache: optional(
    z.enum(['none', 'writethrough', 'writeback', 'unsafe', 'directsync', 'default']),
    'Cache mode. `default`, as in the profile `template`, leaves it to Proxmox.',
    { byDefault: 'writethrough' },
  ),
  aio: optional(
    z.enum(['native', 'threads', 'io_uring', 'default']),
    'Kind of asynchronous I/O. `default`, as in the profile `template`, leaves it to Proxmox.',
    { byDefault: 'io_uring' },
  ),
  backup: optional(
    z.boolean(),
    'Whether Proxmox backups include the disks. By default on for volumes with a disk of their own and EPHEMERAL of workers; never for system disks and EPHEMERAL of control planes, where etcd is.',
  ),
  replicate: optional(z.boolean(), 'Whether Proxmox replicates the disks.', { byDefault: false }),
};

const furtherNic = z.strictObject({
  bridge: required(bridge, 'Bridge.'),
  mac: optional(mac, 'MAC address; computed from the cluster and the vmid otherwise.'),
  vlan: optional(z.int().min(0).max(4094), 'VLAN tag; 0 is none.'),
  mtu: optional(z.int().min(576).max(65_520), 'MTU.'),
  queues: optional(z.int().min(1).max(16), 'Queues.'),
  firewall: optional(z.boolean(), "Whether it passes Proxmox's firewall.", { byDefault: false }),
  dhcp: optional(z.boolean(), 'Take an address by DHCP.', { byDefault: false }),
  ip: optional(ipv4, 'A fixed address; needs `subnet`.'),
  subnet: optional(cidr, 'Network of `ip`.'),
});

const taint = z.strictObject({
  key: required(z.string().min(1), 'Key of the taint.', { example: 'dedicated' }),
  value: optional(z.string(), 'Value of the taint.'),
  effect: required(z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']), 'Effect of the taint.'),
});

const ha = z.strictObject({
  state: optional(z.enum(['started', 'ignored']), '`ignored`: HA leaves the VM alone for now.', {
    byDefault: 'started',
  }),
  hosts: optional(
    z.array(pattern(/^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/, 'the name of a host', 'pve1')).min(1),
    'Hosts that HA prefers (a node affinity rule). By default all.',
    { example: ['pve1', 'pve2'] },
  ),
  strict: optional(z.boolean(), 'Whether the VM runs on `hosts` alone.', { byDefault: false }),
  spread: optional(z.boolean(), 'Whether HA keeps control planes on different hosts.', { byDefault: true }),
});

export const haKeys = ha.shape;

export const machineKeys = {
  cores: optional(z.int().min(1).max(512), 'CPU cores per socket. The profile `template` gives workers 8.', {
    byDefault: 4,
  }),
  sockets: optional(z.int().min(1).max(4), 'CPU sockets.', { byDefault: 1 }),
  cpuType: optional(
    pattern(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'a CPU type', 'x86-64-v2-AES'),
    'CPU type in Proxmox; Talos needs x86-64-v2 at least. The profile `template` says `host`, and so does `arch: arm64`.',
    { byDefault: 'x86-64-v2-AES' },
  ),
  numa: optional(z.boolean(), 'NUMA. The profile `template` turns it on.', { byDefault: false }),
  memory: optional(
    size,
    'Memory. By default 4GiB for control planes and 8GiB for workers; in the profile `template` 8GiB and 16GiB.',
    {
      example: '8GiB',
    },
  ),
  balloon: optional(z.union([z.literal(0), size]), 'Least memory that ballooning leaves; 0 turns it off.', {
    byDefault: 0,
  }),
  bios: optional(
    z.enum(['seabios', 'ovmf']),
    'Firmware. By default `seabios` in the layout `data-vm`, `ovmf` in `single` and with `arch: arm64`.',
  ),
  machine: optional(
    machineType,
    'Machine type; `i440fx` is what Proxmox calls `pc`. With `arch: arm64` it is `virt`.',
    { byDefault: 'q35' },
  ),
  scsiHardware: optional(
    z.enum(['virtio-scsi-single', 'virtio-scsi-pci', 'lsi', 'lsi53c810', 'megasas', 'pvscsi']),
    'SCSI controller. The profile `template` says `virtio-scsi-pci`.',
    { byDefault: 'virtio-scsi-single' },
  ),
  ostype: optional(
    z.enum([
      'l26',
      'l24',
      'other',
      'solaris',
      'wxp',
      'w2k',
      'w2k3',
      'w2k8',
      'wvista',
      'win7',
      'win8',
      'win10',
      'win11',
    ]),
    'Guest type in Proxmox.',
    { byDefault: 'l26' },
  ),
  agent: optional(z.boolean(), 'Whether Proxmox talks to the guest agent; the schematic must have it.', {
    byDefault: true,
  }),
  onBoot: optional(z.boolean(), 'Whether the VM starts when its host does. By default `cluster.onBoot`.'),
  ha: optional(
    z.union([z.boolean(), ha]),
    'Proxmox HA restarts the VM on another host when its host fails; needs Proxmox VE 9 and all disks on shared storage.',
    { byDefault: false, example: { hosts: ['pve1', 'pve2'] } },
  ),
  tags: optional(
    z.array(tag),
    "Tags in Proxmox, besides the cluster's own. The profile `template` gives `kubernetes`, `linux` and `talos`.",
    { byDefault: [] },
  ),
  description: optional(z.string().max(8192), 'Notes of the VM in Proxmox.'),
  startup: optional(
    startup,
    'Order and delays of starts and stops on the host. The profile `template` starts nodes by vmid from 4 on, `up` 15 and `down` 60.',
    {
      example: { order: 4, up: 15, down: 60 },
    },
  ),
  storage: optional(storageId, "Storage of the VM's disks.", { byDefault: 'local-zfs' }),
  layout: optional(
    z.enum(['data-vm', 'single']),
    '`data-vm`: a throw-away system disk, and an offline VM that owns the data. `single`: one disk.',
    { byDefault: 'data-vm' },
  ),
  boot: optional(z.enum(['image', 'iso']), 'From a disk image, or installed from an ISO.', {
    byDefault: 'image',
  }),
  disk: optional(
    size,
    'EPHEMERAL (`/var`) in the layout `data-vm`, the system disk in `single`. The profile `template` says `256GiB`.',
    {
      byDefault: '20GiB',
    },
  ),
  osDisk: optional(size, 'System disk in the layout `data-vm`.', { byDefault: '5GiB' }),
  diskOptions: optional(z.strictObject(diskOptionKeys), 'Options of every disk.'),
  pci: optional(z.array(pci), 'PCI devices by resource mapping, such as an iGPU.', {
    byDefault: [],
    example: ['iGPU'],
  }),
  ...nicKeys,
  nics: optional(z.array(furtherNic), 'Further NICs.', { byDefault: [] }),
  dns: optional(z.array(address), 'Resolvers, where they differ from `network.dns`.'),
  labels: optional(z.record(z.string(), z.string()), 'Kubernetes node labels; the levels are merged.'),
  taints: optional(z.array(taint), 'Kubernetes node taints.', { byDefault: [] }),
};

const level = z.strictObject(machineKeys);
export type MachineLevel = z.output<typeof level>;

export const defaultsSchema = z.strictObject({
  profile: optional(
    z.enum(['standard', 'template']),
    'Values that hold where nothing else is said. `template`: one disk, UEFI, ISO, CPU type `host` and first boot by DHCP.',
    { byDefault: 'standard' },
  ),
  all: optional(level, 'For every node.'),
  controlplane: optional(level, 'For control planes; over `all`.'),
  worker: optional(level, 'For workers; over `all`.'),
});
