/** What the doctor looks at, gathered once; the checks compute from it. */
import type {
  ClusterStatus,
  CpuModel,
  HostEntry,
  NetworkInterface,
  PciMappingEntry,
  PresentedCertificate,
  StorageStatus,
  TlsTrust,
  VmResource,
} from '../../clients/proxmox/index.js';
import type { OxherdError } from '../../model/error.js';
import type { Known } from '../../observe/observed.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';

export interface DoctorFacts {
  readonly endpoints: readonly EndpointFacts[];
  readonly tokenId: string;
  /** By the wall's clock, which certificates go by. */
  readonly now: number;
  readonly cluster: { readonly reached: true; readonly facts: ClusterFacts } | Unreached;
  /** Absent where nothing but Proxmox was to be asked. */
  readonly reach?: ReachFacts;
  /** Absent while no API server answers. */
  readonly gates?: ObservedKubernetes['gates'];
}

/** A refusal is an answer of a machine too. */
export type Knock = 'answers' | 'refused' | 'silent' | 'no-route';

export interface NodeReach {
  readonly name: string;
  readonly address: string;
  readonly vmid: number;
  /** Its VM. */
  readonly runs: boolean;
  readonly knock: Knock;
  /** Where it is instead, by its guest agent. */
  readonly elsewhere: readonly string[];
  /** Absent where it cannot be asked. */
  readonly timeSynced?: boolean;
}

export interface OutsideReach {
  readonly name: string;
  readonly factory: boolean;
  /** Why its name has no address. */
  readonly unresolved?: string;
  readonly knock?: Knock;
}

/** From this computer. */
export interface ReachFacts {
  readonly nodes: readonly NodeReach[];
  readonly vip?: Knock;
  readonly outside: readonly OutsideReach[];
  readonly dns: readonly { readonly server: string; readonly answers: boolean }[];
}

interface Unreached {
  readonly reached: false;
  readonly error: OxherdError;
}

interface EndpointFacts {
  readonly endpoint: string;
  readonly trust: TlsTrust;
  readonly certificate: Known<PresentedCertificate>;
}

export interface ClusterFacts {
  readonly version: string;
  readonly status: Known<ClusterStatus>;
  readonly nodes: readonly HostEntry[];
  readonly vms: readonly VmResource[];
  readonly mappings: Known<readonly PciMappingEntry[]>;
  readonly roles: Known<readonly string[]>;
  /** What was asked for and is not held. */
  readonly missing: Known<readonly MissingPrivilege[]>;
  /** Hosts that the design uses. */
  readonly hosts: Readonly<Record<string, HostFacts>>;
}

export interface HostFacts {
  readonly version: Known<string>;
  /** Milliseconds that the host's clock is ahead of ours. */
  readonly clockAhead: Known<number>;
  readonly storages: Known<readonly StorageStatus[]>;
  readonly bridges: Known<readonly NetworkInterface[]>;
  readonly cpuModels: Known<readonly CpuModel[]>;
  /** Storage → vmid → bytes of volumes that are there already. */
  readonly volumes: Readonly<Record<string, Known<Readonly<Record<number, number>>>>>;
}

export interface MissingPrivilege {
  readonly path: string;
  readonly privilege: string;
  readonly need: 'must' | 'should';
  readonly why: string;
  /** What else is needed on the path and held already, perhaps from above it. */
  readonly held?: readonly string[];
}
