import { z } from 'zod';
import { optional, required } from './key.js';
import { machineKeys } from './machine.js';
import { patchSchema, schematicSchema } from './talos.js';
import { hostName, ipv4, mac, uuid, version, vmid } from './values.js';

const nodeSchema = z.strictObject({
  role: required(z.enum(['controlplane', 'worker']), 'Role in the cluster.'),
  count: optional(
    z.int().min(1).max(1000),
    'Makes it a group: `<name>-1`, `<name>-2` and so on; `ip` and `vmid` count up.',
    {
      example: 3,
    },
  ),
  host: optional(
    hostName,
    'Proxmox host, or `auto`: chosen by free room and spread, among `hosts` where given. By default `auto` if no `hosts` are given.',
    { example: 'pve1' },
  ),
  hosts: optional(
    z.union([z.literal('auto'), z.array(hostName).min(1)]),
    'Proxmox hosts that a group is dealt out to in turn; with `host: auto` those to choose from; `auto` for all.',
    { example: ['pve1', 'pve2', 'pve3'] },
  ),
  ip: required(ipv4, 'Address; of a group the first one.', { example: '10.20.30.41' }),
  vmid: required(vmid, 'VM id; of a group the first one. The data VM has the same with a 0 appended.', {
    example: 141,
  }),
  mac: optional(mac, 'MAC address of the first NIC; computed from the cluster and the vmid otherwise.', {
    example: 'BC:24:11:2E:C8:02',
  }),
  uuid: optional(
    uuid,
    'SMBIOS uuid of the VM, for one that something else made; computed from the cluster and the vmid otherwise. It never changes: keys of encrypted disks come from it.',
    { example: '853ca362-f588-4c52-af66-13262197de84' },
  ),
  talosVersion: optional(version, 'Talos version, where it differs from `talos.version`.'),
  schematic: optional(schematicSchema, 'Schematic, where it differs from `talos.schematic`.'),
  patches: optional(z.array(patchSchema), 'Machine-config patches, after those in `talos.patches`.', {
    byDefault: [],
  }),
  ...machineKeys,
});
export type NodeEntry = z.output<typeof nodeSchema>;

export const nodesSchema = z.record(z.string(), nodeSchema);
