/** The backup job of the cluster: its Talos VMs, through which every disk that is to be saved is read once. */

import type { Config } from '../config/config.js';
import type { BackupConfig } from '../config/policy-config.js';
import type { BackupDesign, NodeDesign } from './design.js';

export function backupJob(
  { storage, schedule, prune, maxAgeSeconds }: BackupConfig,
  tag: string,
  nodes: readonly NodeDesign[],
): BackupDesign {
  return {
    // The tag is unambiguous, and its letters are those of a job's id.
    id: tag,
    storage,
    maxAgeSeconds,
    settings: {
      storage,
      schedule,
      vmid: nodes
        .map(({ talosVm }) => talosVm.vmid)
        .sort((a, b) => a - b)
        .join(','),
      mode: 'snapshot',
      enabled: '1',
      comment: `kept by oxherd (${tag})`,
      ...(prune !== undefined && { 'prune-backups': prune }),
    },
  };
}

/** Disks that the file declares and no backup has. etcd is not among them: it comes back by `etcd backup`. */
export function disksWithoutBackup(nodes: readonly NodeDesign[]): string[] {
  return nodes.flatMap((node) =>
    node.drives
      .filter(({ kind }) => kind === 'volume' || (kind !== 'os' && node.role === 'worker'))
      .filter(({ talosOptions }) => talosOptions.backup !== '1')
      .map(({ name }) => `${node.name}/${name}`),
  );
}

/** Volumes without a drive of their own that no backup has: of the CSI driver, and those on an EPHEMERAL that is left out. */
export function volumesWithoutBackup(
  { volumes }: Pick<Config, 'volumes'>,
  nodes: readonly NodeDesign[],
): string[] {
  const leftOut = nodes.filter(({ drives }) =>
    drives.some(
      ({ kind, talosOptions }) => (kind === 'ephemeral' || kind === 'system') && talosOptions.backup !== '1',
    ),
  );
  return volumes.flatMap((volume) => {
    if (volume.type === 'proxmox-csi') return volume.backup ? [] : [volume.name];
    if (volume.type === 'disk' || (volume.type === 'partition' && volume.place === 'disk')) return [];
    return leftOut
      .filter(({ role }) => volume.on === 'all' || volume.on === role)
      .map((node) => `${node.name}/${volume.name}`);
  });
}
