/** What is there now. Unknown is a value: an unreadable part never hides the rest. */
import type { Permissions } from '../formats/proxmox/permissions.js';
import type { VmState, VolumeReference } from '../formats/proxmox/vm-config.js';
import type { Vmid, Wwn } from '../model/identity.js';
import type { ObservedAccess } from './observed-access.js';
import type { ObservedKubernetes } from './observed-kubernetes.js';
import type { ObservedMachine } from './observed-machines.js';
import type { ObservedVms } from './observed-vms.js';
import type { ObservedVolumes } from './observed-volumes.js';
import type { SystemImage } from './system-images.js';

/** Something that was read, or the reason why it could not be. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  | {
      readonly known: false;
      readonly why: string;
      /** Nothing in scope needs it, so it was not read; no verdict covers it. */
      readonly notAsked?: true;
    };

export interface Observed {
  readonly proxmox: { readonly version: string };
  /** Whether the Proxmox cluster can be written to; only a `true` that was read counts as a quorum. */
  readonly quorate: Known<boolean>;
  readonly hosts: Readonly<Record<string, ObservedHost>>;
  /** Every VM of the Proxmox cluster by id: enough to see that an id is taken. */
  readonly taken: Readonly<Record<number, TakenVmid>>;
  /** Our VMs with their configs: by id, tag and identity. Where the config could not be read, by id and tag. */
  readonly vms: ObservedVms;
  /** VMs that have our tag and are not ours: clones, other clusters of version 0.1.0. Nothing of them is changed. */
  readonly lookalikes: Readonly<Record<number, Lookalike>>;
  /** VMs and containers that are not ours and name a volume of ours, or carry one of our identities. */
  readonly outsiders?: readonly OutsideUse[];
  /** Guests that are not ours and could not be read: their host is down, or the token may not. */
  readonly unread?: readonly Pick<OutsideUse, 'type' | 'vmid' | 'host'>[];
  /** Replication jobs of Proxmox. */
  readonly replicated: Known<
    readonly { readonly id: string; readonly guest: number; readonly target: string }[]
  >;
  /** Absent: nothing here has to do with HA. */
  readonly ha?: Known<ObservedHa>;
  /** Key `host/storage`. */
  readonly storages: Readonly<Record<string, ObservedStorage>>;
  readonly backup?: ObservedBackup;
  /** Files of the image storages, key `host/storage`. */
  readonly images: Readonly<Record<string, Known<readonly string[]>>>;
  /** Disk volumes of the storages in use, key `host/storage`, then volume id; ask with `findVolume`. */
  readonly volumes: ObservedVolumes;
  /** Bridges of the hosts in use. */
  readonly bridges: Readonly<Record<string, Known<readonly ObservedBridge[]>>>;
  /** PCI mapping → hosts that have a device for it. Read only where the design uses one. */
  readonly pciMappings: Known<Readonly<Record<string, readonly string[]>>>;
  /** By node; empty where the machines were not asked. */
  readonly machines: Readonly<Record<string, ObservedMachine>>;
  /** Talos VMs outside oxherd.yaml, without any fingerprint of secrets, whose machines accept our client certificate. */
  readonly accepting?: readonly number[];
  /** By VM id: the machines of VMs of this cluster that oxherd.yaml does not have; absent where the machines were not asked. */
  readonly removedMachines?: Readonly<Record<number, ObservedMachine>>;
  /** Ids of etcd members that answer at their own address and are no machine of a VM of this cluster. */
  readonly foreignMembers?: readonly string[];
  /** Absent where the cluster was not asked. */
  readonly kubernetes?: ObservedKubernetes;
  /** Images of Talos's own pods; absent where nothing could be asked. */
  readonly systemImages?: Known<readonly SystemImage[]>;
  readonly access: ObservedAccess;
  /** What our token may do, as Proxmox computed it. */
  readonly permissions: Known<Permissions>;
  /** Whose they are: `oxherd@pve!main`. */
  readonly tokenId?: string;
}

export interface ObservedHost {
  readonly name: string;
  readonly online: boolean;
  readonly cpus?: number;
  readonly memory?: number;
  readonly memoryUsed?: number;
  /** Of its Proxmox VE: `9.2.11`. Read where a VM may go to another host. */
  readonly version?: string;
}

export interface ObservedBridge {
  readonly name: string;
  /** Absent: it cannot be told from the host's interfaces. */
  readonly mtu?: number;
}

export interface ObservedHa {
  /** Host → `online`, `maintenance`, `unknown`, `fence`, `gone`; empty before the manager has anything to do. */
  readonly hosts: Readonly<Record<string, string>>;
  /** `vm:151` → what the manager does with it: `started`, `migrate`, `fence`, `recovery`, `error`. */
  readonly services?: Readonly<Record<string, string>>;
  /** `vm:151` → the host that the manager has it on. */
  readonly serviceHosts?: Readonly<Record<string, string>>;
  /** `vm:151` → its settings. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By name; unreadable before Proxmox VE 9, which has groups instead. */
  readonly rules: Known<
    Readonly<Record<string, { readonly type: string; readonly settings: Readonly<Record<string, string>> }>>
  >;
}

export interface TakenVmid {
  readonly vmid: Vmid;
  readonly name: string;
  readonly host: string;
  readonly tags: readonly string[];
  readonly status: string;
  readonly cpus?: number;
  /** Bytes. */
  readonly memory?: number;
  /** `create`: it is being made this moment and has no tags yet. */
  readonly lock?: string;
  /** State that the HA manager is to keep it in; absent: it is no HA resource. */
  readonly ha?: string;
}

export interface Lookalike extends ObservedVm {
  /** Completes "it is not ours: …". */
  readonly why: string;
  readonly because: 'identity' | 'secrets';
}

export interface ObservedVm {
  readonly vmid: Vmid;
  readonly host: string;
  readonly name: string;
  readonly status: 'running' | 'stopped' | 'unknown';
  readonly tags: readonly string[];
  readonly template: boolean;
  /** `undefined` config: the host did not answer. */
  readonly config: Known<VmState>;
}

/** One place where a VM that is not ours names a volume that concerns us. */
export interface OutsideUse {
  readonly type: 'qemu' | 'lxc';
  readonly vmid: number;
  readonly name: string;
  readonly host: string;
  readonly running: boolean;
  readonly slot: string;
  readonly volid: string;
  readonly section: VolumeReference['section'];
  readonly wwn?: Wwn;
  /** The node of oxherd.yaml whose VM id the guest has: it lacks marks of this cluster, and its disks stay where they are. */
  readonly node?: string;
}

export interface ObservedStorage {
  readonly host: string;
  readonly name: string;
  readonly content: readonly string[];
  readonly shared: boolean;
  readonly active: boolean;
  readonly total?: number;
  readonly used?: number;
  readonly type: string;
}

export interface ObservedVolume {
  readonly volid: string;
  readonly size: number;
  readonly vmid?: number;
  readonly format: string;
}

export interface ObservedBackup {
  /** Job by id. */
  readonly jobs: Known<Readonly<Record<string, Readonly<Record<string, string>>>>>;
  /** By vmid. */
  readonly newest: Known<Readonly<Record<number, NewestBackup>>>;
  /** Runs of vzdump that ended with errors. */
  readonly failedRuns: Known<readonly FailedBackupRun[]>;
}

export interface NewestBackup {
  /** When the newest good one was made, in milliseconds. */
  readonly good?: number;
  /** A newer one that is none. */
  readonly bad?: { readonly at: number; readonly why: string };
}

export interface FailedBackupRun {
  readonly host: string;
  /** Absent: a run for several VMs. */
  readonly vmid?: number;
  readonly at: number;
  readonly status: string;
}

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

export function unknown<T>(why: string): Known<T> {
  return { known: false, why };
}

export function notAsked<T>(): Known<T> {
  return { known: false, why: 'not used', notAsked: true };
}
