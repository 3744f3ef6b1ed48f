/** What the machines say of themselves. A machine that does not answer is a fact, not an error. */
import type { Role } from '../config/config-values.js';
import type { Known } from './observed.js';
import type { VolumeStatus } from './volume-status.js';

export type MachinePresence =
  /** Its VM is not there or not running. */
  | 'off'
  /** Whether its VM runs could not be read, and nothing answers at its address. */
  | 'unread'
  /** The VM runs; nothing answers at its address. */
  | 'absent'
  /** It waits for a config. */
  | 'maintenance'
  | 'configured';

export interface ObservedMachine {
  readonly node: string;
  readonly presence: MachinePresence;
  /** Where it was found: not always the node's own address before it has its config. */
  readonly address?: string;
  /** Of a configured machine that accepted our certificate. */
  readonly details: Known<MachineDetails>;
  /** What answers at its address is another machine: the SMBIOS uuid of that one. */
  readonly otherMachine?: string;
  /** It boots or goes down just now, in these words: what it says of itself, if anything, does not hold for long. */
  readonly onItsWay?: string;
}

export interface MachineConfigView {
  /** Of the config's meaning. */
  readonly hash: string;
  /** Its text with every secret redacted. */
  readonly redacted: string;
  /** The one on its disk, where that is another one: staged for the next boot, or this one is only being tried. */
  readonly persistent?: { readonly hash: string; readonly redacted: string };
  /** Which config oxherd gave it last; absent: something else has written it since. */
  readonly mark?: string;
}

export interface MachineDetails {
  /** SMBIOS uuid, in lower case: which VM it is. */
  readonly uuid?: string;
  readonly talosVersion: string;
  /** Schematic id of the image it runs; `undefined`: an image without one. */
  readonly schematic: Known<string | undefined>;
  /** `maintenance`, `booting`, `installing`, `running`, `rebooting`, `upgrading`, … */
  readonly stage: string;
  readonly ready: boolean;
  readonly unmet: readonly { readonly name: string; readonly reason: string }[];
  readonly config: Known<MachineConfigView>;
  readonly services: readonly {
    readonly id: string;
    readonly state: string;
    readonly health: string;
    readonly message: string;
  }[];
  readonly volumes: readonly MachineVolume[];
  /** `undefined`: it has not set its clock by a time server yet, and has no status of it. */
  readonly timeSynced: Known<boolean | undefined>;
  /** Control planes only. */
  readonly etcd?: Known<EtcdView>;
}

/** A Talos volume and the disk it really is on. */
export interface MachineVolume extends Omit<VolumeStatus, 'location'> {
  /** `naa.3…` of the disk that holds it. */
  readonly wwid?: string;
  /** The disk that held it was detached from the running machine; Talos looks for it again at the next boot only. */
  readonly detached?: true;
}

/** An entry of etcd's list. */
export interface EtcdMember {
  readonly id: string;
  readonly hostname: string;
  readonly learner: boolean;
  /** Where its peers reach it. */
  readonly addresses?: readonly string[];
}

/** etcd as one control plane sees it. Ids are hex. */
export interface EtcdView {
  readonly memberId: string;
  readonly leader: string;
  readonly learner: boolean;
  readonly errors: readonly string[];
  readonly raftIndex: string;
  readonly raftTerm: string;
  readonly members: readonly EtcdMember[];
  readonly alarms: readonly string[];
}

/** Before bootstrap Talos holds the service back; a machine that has etcd data runs it, healthy or not. */
export function hasEtcdData({ etcd, services }: Pick<MachineDetails, 'etcd' | 'services'>): boolean {
  if (etcd?.known && etcd.value.members.length > 0) return true;
  return services.some((service) => service.id === 'etcd' && service.state === 'Running');
}

/** The role that a machine runs with, as its own config says; `undefined`: it does not tell. */
export function roleOfMachine(machine: ObservedMachine | undefined): Role | undefined {
  if (!machine?.details.known) return undefined;
  const { config, services } = machine.details.value;
  const type = config.known && /"type": "(controlplane|worker)"/.exec(config.value.redacted)?.[1];
  if (type === 'controlplane' || type === 'worker') return type;
  // Talos has the service on control planes only.
  return services.some(({ id }) => id === 'etcd') ? 'controlplane' : undefined;
}
