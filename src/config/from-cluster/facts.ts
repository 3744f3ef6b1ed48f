/** What was read of a running cluster: enough to write the config that describes it. */
import type { Mapping } from '../../formats/text/mapping.js';
import type { Role } from '../config-values.js';

export interface ClusterFacts {
  readonly proxmox: {
    readonly endpoint: string;
    /** Name of the Proxmox cluster; absent on a single host. */
    readonly cluster?: string;
    readonly fingerprint?: string;
    readonly insecure?: boolean;
  };
  readonly machines: readonly MachineFacts[];
}

export interface MachineFacts {
  readonly name: string;
  readonly role: Role;
  readonly address: string;
  /** `v1.14.1` */
  readonly talosVersion: string;
  /** Id of the image's schematic, and the extensions in it. */
  readonly schematic?: string;
  readonly extensions: readonly string[];
  /** Documents of its machine config. */
  readonly documents: readonly Mapping[];
  /** Bytes of the disk that each volume is on, by `EPHEMERAL`, `u-data`. */
  readonly volumeDisks: Readonly<Record<string, number>>;
  readonly vm: VmFacts;
}

export interface VmFacts {
  readonly vmid: number;
  readonly host: string;
  /** The VM's config, as it will be after its next start. */
  readonly values: Readonly<Record<string, string>>;
  /** Of the VM that owns its data disks. */
  readonly dataVm?: { readonly vmid: number; readonly values: Readonly<Record<string, string>> };
}
