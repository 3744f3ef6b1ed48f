/** The drives of a node: what each is, who owns it, and how both VMs carry it. */
import type { Config, DiskOptions, NodeConfig } from '../config/config.js';
import type { DiskVolume, PartitionVolume } from '../config/volume-config.js';
import { wwnOf } from '../formats/marks/identities.js';
import { OxherdError } from '../model/error.js';
import { dataVmidOf, type Vmid, type Wwn } from '../model/identity.js';
import { compareText } from '../model/natural-order.js';
import type { DriveDesign } from './design.js';
import { EPHEMERAL_DRIVE, OS_DRIVE } from './names.js';

/** A volume with a disk of its own. */
type OwnDiskVolume = DiskVolume | PartitionVolume;

/** Volumes for which a node has a disk, by name. With the layout `single` there is one disk and no other. */
function ownDiskVolumes(config: Config, node: NodeConfig): readonly OwnDiskVolume[] {
  if (node.layout === 'single') return [];
  return config.volumes
    .filter(
      (volume): volume is OwnDiskVolume =>
        volume.type === 'disk' || (volume.type === 'partition' && volume.place === 'disk'),
    )
    .filter((volume) => volume.on === 'all' || volume.on === node.role)
    .sort((a, b) => compareText(a.name, b.name));
}

function osWwn(config: Config, node: NodeConfig): Wwn {
  return wwnOf(config.cluster, node.vmid, OS_DRIVE);
}

function ephemeralWwn(config: Config, node: NodeConfig): Wwn {
  return wwnOf(config.cluster, node.vmid, EPHEMERAL_DRIVE);
}

/** A renamed volume stays the disk it was: `was` names it as it was called when the disk was made. */
function volumeWwn(config: Config, node: NodeConfig, volume: OwnDiskVolume): Wwn {
  return wwnOf(config.cluster, node.vmid, volume.was ?? volume.name);
}

/** `importFrom`: volid of the image, where the node boots from one. */
export function drivesOf(config: Config, node: NodeConfig, importFrom: string): readonly DriveDesign[] {
  const image = node.boot === 'image' ? { importFrom } : {};
  const own = {
    storage: node.vm.storage,
    format: 'raw',
    owner: node.vmid,
    kept: false,
    wwn: osWwn(config, node),
  } as const;
  const off = driveOptions(node.vm.diskOptions, node.vm.diskOptions.backup ?? false);
  if (node.layout === 'single') {
    const system = { ...own, ...image, name: OS_DRIVE, kind: 'system', size: node.vm.disk } as const;
    return [{ ...system, ownerOptions: off, talosOptions: off }];
  }
  const os = { ...own, ...image, name: OS_DRIVE, kind: 'os', size: node.vm.osDisk } as const;
  return [
    // A system disk can be thrown away: there is nothing on it to back up, whatever the node's data is.
    { ...os, ...bothOptions(node, false, false) },
    ephemeralDrive(config, node),
    ...ownDiskVolumes(config, node).map((volume) => volumeDrive(config, node, volume)),
  ];
}

function ephemeralDrive(config: Config, node: NodeConfig): DriveDesign {
  return {
    name: EPHEMERAL_DRIVE,
    kind: 'ephemeral',
    wwn: ephemeralWwn(config, node),
    size: node.vm.disk,
    storage: node.vm.storage,
    format: 'raw',
    owner: dataVmid(node),
    kept: true,
    // A control plane's etcd comes back by `etcd backup`; an old disk of one must never rejoin.
    ...bothOptions(node, node.role === 'worker' && (node.vm.diskOptions.backup ?? true), true),
  };
}

function volumeDrive(config: Config, node: NodeConfig, volume: OwnDiskVolume): DriveDesign {
  // Of a control plane too: only its EPHEMERAL, with etcd on it, must not come back from a backup.
  const byDefault = node.vm.diskOptions.backup ?? true;
  return {
    name: volume.name,
    kind: 'volume',
    ...(volume.type === 'partition' && { partition: true as const }),
    wwn: volumeWwn(config, node, volume),
    ...(volume.was !== undefined && { was: volume.was }),
    size: volume.size,
    storage: volume.storage ?? node.vm.storage,
    format: 'raw',
    owner: dataVmid(node),
    kept: true,
    ...bothOptions(node, volume.backup ?? byDefault, true),
  };
}

/** A backup reads a disk through the Talos VM, live; through the data VM it would be saved a second time. */
function bothOptions(
  node: NodeConfig,
  backup: boolean,
  attached: boolean,
): Pick<DriveDesign, 'ownerOptions' | 'talosOptions'> {
  const talos = driveOptions(node.vm.diskOptions, backup);
  return {
    ownerOptions: driveOptions(node.vm.diskOptions, attached ? false : backup),
    // Proxmox keeps the format of a volume that is attached by its id, and drops that of one it makes.
    talosOptions: attached ? { ...talos, format: 'raw' } : talos,
  };
}

/** Options that stand at their default are left out, but backup and replicate are always said. */
function driveOptions(options: DiskOptions, backup: boolean): Readonly<Record<string, string>> {
  return {
    ...(options.aio !== undefined && { aio: options.aio }),
    backup: backup ? '1' : '0',
    ...(options.cache !== undefined && { cache: options.cache }),
    ...(options.discard && { discard: 'on' }),
    ...(options.iothread && { iothread: '1' }),
    replicate: options.replicate ? '1' : '0',
    ...(options.ssd && { ssd: '1' }),
  };
}

export function dataVmid(node: NodeConfig): Vmid {
  const vmid = dataVmidOf(node.vmid);
  if (vmid !== undefined) return vmid;
  throw new OxherdError('design.data-vmid', `${node.name}: vmid ${node.vmid} with a 0 appended is no vmid`, {
    where: node.name,
    advice: 'choose a vmid below 100000000',
  });
}
