/** A machine as the lab remembers it: plain data, replaced as a whole. */
import type { Store, Table } from '../../store.js';
import type { BootState } from './boot-state.js';

export type Stage =
  | 'booting'
  | 'maintenance'
  | 'installing'
  | 'running'
  | 'rebooting'
  | 'shutting down'
  | 'resetting'
  | 'upgrading';

export interface MachineRecord {
  readonly vmid: number;
  /** Counts power-ons and reboots: an event that was meant for an earlier boot is no one's. */
  readonly boot: number;
  readonly stage: Stage;
  readonly bootedAt: number;
  /** What runs; absent until a boot loader was found. */
  readonly system?: RunningSystem;
  /** Why it hangs before its Talos API: nothing to boot from, or a fault. */
  readonly stuck?: string;
  readonly volumes: readonly VolumeState[];
  readonly services: Readonly<Record<string, ServiceState>>;
  /** The API server and its companions run as static pods. */
  readonly controlPlane: 'off' | 'starting' | 'running';
  /** Newest last; the kernel log that Dmesg shows. */
  readonly log: readonly string[];
  readonly images: readonly string[];
  /** The clock was set once in this boot; it stays so. */
  readonly timeSynced?: boolean;
  /** What the API server was started from. */
  readonly apiServerPod?: string;
  /** What the kubelet was started from. */
  readonly kubeletSpec?: string;
  /** Until then it is being restarted. */
  readonly kubeletBackAt?: number;
  /** What the present config need not say any more. */
  readonly kept?: BootState;
  /** What containerd was started from. */
  readonly criSpec?: string;
  /** The event that takes a config of `try` mode back. */
  readonly revert?: string;
}

interface RunningSystem {
  readonly version: string;
  readonly schematic: string;
  readonly arch: string;
  /** Booted from an ISO there is no system disk before the installation. */
  readonly from: 'disk' | 'iso';
}

export interface ServiceState {
  readonly state: 'Waiting' | 'Preparing' | 'Starting' | 'Running' | 'Failed' | 'Finished';
  readonly healthy: boolean;
  readonly message: string;
  readonly since: number;
}

export type VolumePhase =
  | 'waiting'
  | 'failed'
  | 'missing'
  | 'located'
  | 'provisioned'
  | 'prepared'
  | 'ready'
  | 'closed';

export interface VolumeState {
  readonly id: string;
  readonly type: 'partition' | 'disk' | 'directory';
  readonly phase: VolumePhase;
  readonly error?: string;
  /** Drive and label where it is; absent for directories and for volumes that are nowhere. */
  readonly slot?: string;
  readonly label?: string;
  readonly size?: number;
  readonly filesystem?: string;
  readonly encryption?: {
    readonly keys: readonly string[];
    readonly slot: number;
    readonly lockedToState: boolean;
    /** Slots that could not follow the config, with the reason. */
    readonly failedSyncs?: readonly string[];
  };
  /** Where it stood when it failed. */
  readonly preFailPhase?: VolumePhase;
}

export interface TalosDb {
  /** Machines that are switched on. Key: the vmid. */
  readonly machines: Table<MachineRecord>;
  /** The config each machine runs with, which a staged one on its disk may differ from. Key: the vmid. */
  readonly configs: Table<string>;
  readonly etcd: Table<EtcdClusterRecord>;
  /** Who holds a shared address. Key: the address. */
  readonly vips: Table<number>;
  /** Gateways that lead somewhere. Key: the network. */
  readonly routers: Table<readonly string[]>;
  /** The largest packets that a bridge carries. Key: its name. */
  readonly bridges: Table<number>;
  /** Addresses by DHCP. Key: the MAC. */
  readonly leases: Table<LeaseRecord>;
  readonly counters: Table<number>;
}

export interface LeaseRecord {
  readonly ip: string;
  readonly prefix: number;
  readonly gateway?: string;
}

/** What the members of an etcd cluster have agreed on. Ids are decimal texts of 64-bit numbers. */
export interface EtcdClusterRecord {
  readonly id: string;
  /** Which Talos cluster it serves, by the hash of its etcd CA. */
  readonly owner: string;
  readonly members: readonly EtcdMemberRecord[];
  readonly leader: string;
  readonly term: number;
  readonly index: number;
  readonly revision: number;
  readonly alarms: readonly { readonly memberId: string; readonly alarm: 'NOSPACE' | 'CORRUPT' }[];
  /** When a snapshot was last taken. */
  readonly snapshotAt?: number;
}

export interface EtcdMemberRecord {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  readonly learner: boolean;
}

/** etcd's data directory on an EPHEMERAL volume. */
export interface EtcdData {
  readonly clusterId: string;
  readonly memberId: string;
}

export function openTalosDb(store: Store): TalosDb {
  return {
    machines: store.table('talos/machines'),
    configs: store.table('talos/configs'),
    etcd: store.table('talos/etcd'),
    vips: store.table('talos/vips'),
    routers: store.table('talos/routers'),
    bridges: store.table('talos/bridges'),
    leases: store.table('talos/leases'),
    counters: store.table('counters'),
  };
}
