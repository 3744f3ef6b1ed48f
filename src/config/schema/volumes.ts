import { z } from 'zod';
import { optional, required } from './key.js';
import { hostName, pattern, size, storageId, vmid } from './values.js';

const on = optional(z.enum(['all', 'controlplane', 'worker']), 'Nodes that have it.', {
  byDefault: 'worker',
});
const filesystem = optional(z.enum(['xfs', 'ext4', 'btrfs']), 'File system.', { byDefault: 'xfs' });
const was = optional(z.string().min(1), 'Name it had before it was renamed: the disk stays the same.');
const backup = optional(
  z.boolean(),
  "Whether Proxmox backups include it; otherwise as in the node's `diskOptions`.",
);
const storage = optional(storageId, "Proxmox storage; otherwise the node's own.");

const directoryVolume = z.strictObject({
  type: required(z.literal('directory'), 'A directory on EPHEMERAL, mounted at `/var/mnt/<name>`.'),
  on,
  size: optional(size, 'Accepted for files that come from elsewhere: a directory has no limit of its own.'),
});

export const diskVolume = z.strictObject({
  type: required(
    z.literal('disk'),
    "A disk of its own on each node, owned by the node's data VM, mounted at `/var/mnt/<name>`.",
  ),
  on,
  size: required(size, 'Size. It can grow, never shrink.', { example: '50GiB' }),
  storage,
  was,
  filesystem,
  backup,
});

const partitionVolume = z.strictObject({
  type: required(
    z.literal('partition'),
    'A partition, on the EPHEMERAL disk or on a disk of its own, mounted at `/var/mnt/<name>`.',
  ),
  on,
  size: required(size, 'Size.', { example: '20GiB' }),
  place: optional(
    z.enum(['disk', 'ephemeral']),
    'On the EPHEMERAL disk, named before the first boot, after which EPHEMERAL never grows again; or on a disk of its own. Default: EPHEMERAL, but a disk with `storage`, and where the cluster has one for it.',
  ),
  storage,
  was,
  filesystem,
  backup,
});

export const csiVolume = z.strictObject({
  type: required(
    z.literal('proxmox-csi'),
    'A Proxmox volume with a PersistentVolume, attached by the CSI driver.',
  ),
  size: required(size, 'Size. It can grow, never shrink.', { example: '20GiB' }),
  host: required(hostName, 'Proxmox host that holds it.', { example: 'pve1' }),
  storage: optional(storageId, 'Proxmox storage.', { byDefault: 'local-zfs' }),
  format: optional(z.enum(['raw', 'qcow2']), 'Format of the volume.', { byDefault: 'raw' }),
  vmid: optional(vmid, "Id in the volume's name `vm-<vmid>-…`; no VM may have it.", { byDefault: 9999 }),
  filesystem: optional(z.enum(['xfs', 'ext4']), 'File system.', { byDefault: 'ext4' }),
  storageClass: optional(
    pattern(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a StorageClass name', 'proxmox-csi'),
    'StorageClass of the PersistentVolume.',
    { byDefault: 'proxmox-csi' },
  ),
  backup: optional(
    z.boolean(),
    'Whether Proxmox backups of the VM that it is attached to include it: the driver leaves it out otherwise.',
    { byDefault: false },
  ),
});

const volumeSchema = z.discriminatedUnion('type', [directoryVolume, diskVolume, partitionVolume, csiVolume]);
export type VolumeEntry = z.output<typeof volumeSchema>;

export const volumesSchema = z.record(z.string(), volumeSchema);
