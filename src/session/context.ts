/** What a session is given by whoever opens it: where its files are, what it works on, how it is heard and stopped. */
import type { FleetMark } from '../apply/lock/holder.js';
import type { ConnectOptions } from '../clients/proxmox/index.js';
import type { Dial } from '../clients/talos/connection.js';
import type { Config } from '../config/config.js';
import type { Clock } from '../model/clock.js';
import type { KubernetesKind } from '../model/kubernetes-kind.js';
import type { WriteGate } from '../model/write-gate.js';
import type { OutsiderMemory } from '../observe/observe-outsiders.js';

export type LabTarget = Extract<Target, { kind: 'lab' }>;

/** What a session works on. */
export type Target =
  /** The Proxmox that the config names. */
  | { readonly kind: 'proxmox' }
  /** The embedded lab: the one that serves on the folder's state if there is one, else one in this process. */
  | {
      readonly kind: 'lab';
      /** Fixed world a new lab starts from; else the one that the config names. */
      readonly profile?: string;
      /** API of the lab's clusters; the lab decides where it is not given. */
      readonly kubernetes?: KubernetesKind;
      /** Faults by name, for as long as the session is open. */
      readonly faults?: readonly string[];
      /** A simulated Proxmox that the caller has already: a lab it wants to look into, or a twin of a real cluster. */
      readonly open?: (config: Config) => Promise<Place>;
    };

/** A Proxmox and the network its machines are in. */
export interface Place {
  readonly connection: Pick<
    ConnectOptions,
    'endpoints' | 'fingerprints' | 'token' | 'tls' | 'requestTimeoutMs'
  >;
  readonly clock: Clock;
  readonly dial?: Dial;
  /** How long a machine may work on a call, by the wall; one whose connection was cut at a bad moment waits as long. */
  readonly longCallMs?: number;
  close(): Promise<void>;
}

/**
 * Something a person should know and no event says: `note` is worth a look, `progress` says what is waited for, `debug` is
 * for whoever looks for a fault.
 */
export interface SessionMessage {
  readonly kind: 'note' | 'progress' | 'debug';
  readonly message: string;
}

export interface SessionContext {
  /** `.oxherd` with journals, snapshots, client files and the lab is in this folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The config as it was named, a file or a folder: the secrets of a real cluster are beside it. */
  readonly configPath: string;
  readonly target: Target;
  /** Aborted: nothing new is begun, and what runs comes to a safe end. */
  readonly signal: AbortSignal;
  readonly tell: (message: SessionMessage) => void;
  /** Every request that would change something is refused before it is sent. */
  readonly readOnly?: boolean;
  /** The text of the secrets file, where it does not lie beside the config. */
  readonly secrets?: SecretsText;
  /** `false`: kubeconfig and talosconfig are written by whoever opened the session, where they are wanted at all. */
  readonly clientFiles?: boolean;
  /** `false`: what a run starts from is not kept, so that it cannot be replayed. */
  readonly recorded?: boolean;
  /** What else must hold while something is written. */
  readonly fence?: Fence;
  /** How much is asked at a time, for sessions that are many. */
  readonly traffic?: Traffic;
}

/** Limits of a session that shares its Proxmox with others of the same process. */
export interface Traffic {
  /** Waited for before each request to Proxmox. */
  readonly pace: () => Promise<void>;
  /** Requests at a time to one Proxmox host, and connections to one API server. */
  readonly parallel?: number;
  /** What VMs of others were last seen to name. */
  readonly outsiders?: OutsiderMemory;
}

export interface SecretsText {
  readonly text: string;
  /** Where it comes from, for messages. */
  readonly where: string;
}

/** A right to write that can be lost while a run goes on: the lease of a controller. */
export interface Fence {
  readonly mark: FleetMark;
  readonly gate: WriteGate;
  /** Aborted once the right is lost: the run ends as with Ctrl-C, and nothing more is written. */
  readonly lost: AbortSignal;
}

/** Whose files a session works with: those of real clusters, or those of the lab. */
export function filesOf({ cwd, target }: Pick<SessionContext, 'cwd' | 'target'>): {
  readonly cwd: string;
  readonly lab: boolean;
} {
  return { cwd, lab: target.kind === 'lab' };
}
