/** Everything that should exist, each with its identity. Made by `design(config)`; taken by `plan`. */

import type { Boot, Layout, Role } from '../config/config-values.js';
import type { ClusterOwner } from '../formats/marks/ownership.js';
import type { IPv4 } from '../model/address.js';
import type { Vmid, Wwn } from '../model/identity.js';
import type { Bytes } from '../model/size.js';

export interface Design {
  /** With the fingerprint of its secrets where they are at hand. */
  readonly cluster: ClusterOwner & { readonly tag: string };
  readonly images: readonly ImageDesign[];
  readonly nodes: readonly NodeDesign[];
  readonly csiVolumes: readonly CsiVolumeDesign[];
  readonly access: readonly AccessDesign[];
  /** The pool Talos VMs are members of. */
  readonly pool?: string;
  readonly backup?: BackupDesign;
  /** Absent: no node has `ha`. */
  readonly ha?: HaDesign;
}

/** What Proxmox's HA manager is told, as Proxmox stores it. */
export interface HaDesign {
  /** Nodes that have `ha`, by name. */
  readonly nodes: readonly string[];
  /** `vm:151` → its settings. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By name. */
  readonly rules: Readonly<
    Record<string, { readonly type: string; readonly settings: Readonly<Record<string, string>> }>
  >;
}

/** The backup job of Proxmox that is this cluster's by its id. */
export interface BackupDesign {
  readonly id: string;
  readonly settings: BackupSettings;
  readonly storage: string;
  readonly maxAgeSeconds: number;
}

/** As Proxmox names and writes them; what is not here is left as it is. */
export type BackupSettings = Readonly<
  Record<'storage' | 'schedule' | 'vmid' | 'mode' | 'comment', string>
> & { readonly 'prune-backups'?: string; readonly enabled: string };

/** One file that a storage of a host must hold. */
export interface ImageDesign {
  readonly host: string;
  readonly storage: string;
  readonly content: 'import' | 'iso';
  readonly filename: string;
  /** `local:import/dev-talos-….qcow2` */
  readonly volid: string;
  readonly url: string;
  readonly schematicId: string;
  readonly talosVersion: string;
}

export interface NodeDesign {
  readonly name: string;
  /** Its entry of oxherd.yaml, where several nodes share one. */
  readonly group?: string;
  readonly role: Role;
  readonly host: string;
  readonly ip: IPv4;
  readonly layout: Layout;
  readonly boot: Boot;
  readonly talosVersion: string;
  readonly schematicId: string;
  /** Image that Talos installs and upgrades from. */
  readonly installer: string;
  readonly talosVm: VmDesign;
  /** Only with the layout `data-vm`. */
  readonly dataVm?: VmDesign;
  /** Drives in the order in which slots are given out at create: OS, EPHEMERAL, volumes by name. */
  readonly drives: readonly DriveDesign[];
}

/** Proxmox parameters of one VM except its drives, as sent to the API; property strings canonical. */
export interface VmDesign {
  readonly vmid: Vmid;
  readonly name: string;
  readonly host: string;
  readonly kind: 'talos' | 'data';
  /** Key → value as Proxmox stores it. `net0`, `smbios1`, `tags`, `ipconfig0`, `hostpci0`, `boot`, `description`… */
  readonly options: Readonly<Record<string, string | number>>;
  /** `efidisk0`, `tpmstate0`, cloud-init and CD-ROM drives: made by us, without data. */
  readonly auxiliary: Readonly<Record<string, AuxiliaryDrive>>;
  /** Power state after apply. */
  readonly running: boolean;
}

export type AuxiliaryDrive =
  | {
      readonly kind: 'efi';
      readonly storage: string;
      readonly efitype: '4m' | '2m';
      readonly preEnrolledKeys: boolean;
    }
  | { readonly kind: 'tpm'; readonly storage: string; readonly version: 'v2.0' }
  | { readonly kind: 'cloudinit'; readonly storage: string }
  | { readonly kind: 'cdrom'; readonly volid: string };

export interface DriveDesign {
  /** `os`, `ephemeral`, or the name of a volume. */
  readonly name: string;
  /** `system`: the only disk of the layout `single`, named `os` as well. */
  readonly kind: 'os' | 'ephemeral' | 'volume' | 'system';
  /** The disk of a `partition` volume that has one of its own. */
  readonly partition?: true;
  readonly wwn: Wwn;
  /** The name it was made with, where the volume was renamed: the WWN is the hash of this one. */
  readonly was?: string;
  readonly size: Bytes;
  readonly storage: string;
  /** Asked for when the volume is made; Proxmox stores it only on the line of a VM that attaches it. */
  readonly format: 'raw';
  /** VM that owns the volume by its name: kept data belongs to the data VM. */
  readonly owner: Vmid;
  /** Whether the data must outlive every VM. */
  readonly kept: boolean;
  /** Image to import for `os` (boot `image`), by volid. */
  readonly importFrom?: string;
  /** Drive options as Proxmox stores them (without file, size and wwn), on the owner and on the Talos VM. */
  readonly ownerOptions: Readonly<Record<string, string>>;
  readonly talosOptions: Readonly<Record<string, string>>;
}

/** A volume that the CSI driver attaches; it belongs to no VM. */
export interface CsiVolumeDesign {
  readonly name: string;
  readonly host: string;
  readonly storage: string;
  readonly vmid: Vmid;
  /** `vm-9999-_1a2b3c4d5e-pv-foo` */
  readonly volumeName: string;
  readonly format: 'raw' | 'qcow2';
  readonly size: Bytes;
}

/** Users, roles and rights in Proxmox. */
export type AccessDesign =
  | { readonly kind: 'role'; readonly id: string; readonly privileges: readonly string[] }
  | { readonly kind: 'user'; readonly id: string; readonly comment: string }
  | {
      readonly kind: 'token';
      readonly user: string;
      readonly id: string;
      readonly privilegeSeparation: boolean;
    }
  | { readonly kind: 'pool'; readonly id: string; readonly comment: string }
  | {
      readonly kind: 'acl';
      readonly path: string;
      readonly role: string;
      readonly subject: { readonly kind: 'user' | 'token'; readonly id: string };
      readonly propagate: boolean;
    };
