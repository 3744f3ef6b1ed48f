/** The section `volumes`, resolved. */
import type { Vmid } from '../model/identity.js';
import type { Bytes } from '../model/size.js';
import type { Role } from './config-values.js';

export type VolumeTarget = 'all' | Role;

interface VolumeBase {
  readonly name: string;
}
export interface DirectoryVolume extends VolumeBase {
  readonly type: 'directory';
  readonly on: VolumeTarget;
}
export interface DiskVolume extends VolumeBase {
  readonly type: 'disk';
  readonly on: VolumeTarget;
  readonly size: Bytes;
  /** Where it differs from the node's own storage. */
  readonly storage?: string;
  /** The name it had before it was renamed: its disk's identity stays. */
  readonly was?: string;
  readonly filesystem: 'xfs' | 'ext4' | 'btrfs';
  readonly backup: boolean | undefined;
}
export interface PartitionVolume extends VolumeBase {
  readonly type: 'partition';
  readonly on: VolumeTarget;
  readonly size: Bytes;
  /** A disk of its own, or a part of the EPHEMERAL disk. */
  readonly place: 'disk' | 'ephemeral';
  /** The config does not say: a cluster that has a disk for it keeps that. */
  readonly placeByDefault?: true;
  readonly storage?: string;
  readonly was?: string;
  readonly filesystem: 'xfs' | 'ext4' | 'btrfs';
  readonly backup: boolean | undefined;
}
export interface CsiVolume extends VolumeBase {
  readonly type: 'proxmox-csi';
  readonly size: Bytes;
  /** Proxmox host that holds it. */
  readonly host: string;
  readonly storage: string;
  readonly format: 'raw' | 'qcow2';
  /** The id in the volume's name. */
  readonly vmid: Vmid;
  readonly filesystem: 'xfs' | 'ext4';
  readonly storageClass: string;
  readonly backup: boolean;
}
export type VolumeConfig = DirectoryVolume | DiskVolume | PartitionVolume | CsiVolume;
