/** What a twin is made from: a running cluster as plain data, in the lab's own terms. */
import type { KubeObject } from '../kubernetes/object.js';
import type { StorageRecord } from '../proxmox/db.js';
import type { LabWorld } from '../world.js';

export interface TwinState {
  /** When it was looked at: the twin's time begins here. */
  readonly at: number;
  readonly world: Omit<LabWorld, 'storages'> & { readonly storages: readonly StorageRecord[] };
  readonly offlineHosts: readonly string[];
  readonly vms: readonly TwinVm[];
  readonly volumes: readonly TwinVolume[];
  readonly access: TwinAccess;
  /** Job by id, with what Proxmox stores of it. */
  readonly backupJobs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Absent: nothing here has to do with HA. */
  readonly ha?: TwinHa;
  readonly machines: readonly TwinMachine[];
  readonly etcd?: TwinEtcd;
  /** By resource: `pods`, `deployments.apps`. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  /** Schematics that machines run: id → official extensions. */
  readonly schematics: Readonly<Record<string, readonly string[]>>;
}

export interface TwinHa {
  /** Hosts that the HA manager has in maintenance. */
  readonly maintenance: readonly string[];
  /** `vm:151` → its settings, and rules by name, as the API tells them. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly rules: Readonly<
    Record<string, { readonly type: string; readonly settings: Readonly<Record<string, string>> }>
  >;
}

export interface TwinVm {
  readonly vmid: number;
  readonly host: string;
  readonly values: Readonly<Record<string, string>>;
  /** Waits for the next start: the new value, or `null` where the key will go. */
  readonly pending: Readonly<Record<string, string | null>>;
  readonly snapshots: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly running: boolean;
}

export interface TwinVolume {
  readonly host: string;
  readonly volid: string;
  readonly size: number;
  /** What was written of it, as far as that is known: copying takes as long. */
  readonly used?: number;
  /** Of an image file: what boots from it. */
  readonly image?: { readonly schematic: string; readonly version: string };
}

export interface TwinMachine {
  readonly vmid: number;
  readonly version: string;
  readonly schematic: string;
  /** Nothing: it waits for its config. */
  readonly config?: string;
  /** The one on its disk, where it runs with another. */
  readonly staged?: string;
  /** Where its Talos volumes are: slot by id. One without a slot is found by its selector at the first boot. */
  readonly volumes: Readonly<Record<string, { readonly slot: string; readonly size: number }>>;
  /** Its member of etcd, as a decimal number. */
  readonly member?: string;
  /** It runs and does not answer. */
  readonly silent: boolean;
}

export interface TwinEtcd {
  readonly members: readonly {
    readonly id: string;
    readonly name: string;
    readonly ip: string;
    readonly learner: boolean;
  }[];
  readonly leader: string;
  readonly alarms: readonly { readonly memberId: string; readonly alarm: 'NOSPACE' | 'CORRUPT' }[];
}

export interface TwinAccess {
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly users: readonly string[];
  readonly tokens: Readonly<Record<string, { readonly privilegeSeparation: boolean }>>;
  readonly acl: readonly {
    readonly path: string;
    readonly role: string;
    readonly subject: string;
    readonly propagate: boolean;
  }[];
  readonly pools: Readonly<Record<string, { readonly vms: readonly number[]; readonly comment: string }>>;
}
