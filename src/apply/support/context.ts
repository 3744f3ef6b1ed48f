import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import type { MoveDisk, UpdateVm } from '../../clients/proxmox/calls/vms.js';
import type { TaskRef } from '../../clients/proxmox/task.js';
import type { TalosAccess } from '../../clients/talos/access.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type { ClusterOwner } from '../../formats/marks/ownership.js';
import type { Clock } from '../../model/clock.js';
import type { WriteGate } from '../../model/write-gate.js';
import type { StepKind, StepOf } from '../../plan/steps.js';
import type { DownRules } from '../guard/down-rules.js';
import type { GuardedProxmox } from '../guard/guarded-clients.js';

/** The machines, and what they are to be told. */
export interface MachineAccess {
  /** The secrets of the cluster are there. */
  readonly hasSecrets: boolean;
  readonly talos: TalosAccess;
  /** The config of a node, secrets and all; with parts of Kubernetes at other versions while it is upgraded. */
  configOf(node: string, components?: ComponentVersions): string;
  /** Where a machine waits that does not have the node's own address yet; `undefined`: unknown. */
  addressOf(node: string): Promise<string | undefined>;
  /** kubeconfig and talosconfig, mode 0600. */
  writeClientFiles(folder: string): Promise<void>;
}

/** A node and the address it answers at now. */
export interface Addressed {
  readonly name: string;
  readonly ip: string;
}

/** Snapshots of etcd, taken when the last one is older than the policy allows; any healthy voter of those gives it. */
export interface Snapshots {
  ensureFresh(controlPlanes: readonly Addressed[], progress: (message: string) => void): Promise<void>;
  /** A new one whatever the policy allows, read back from its file. */
  take(controlPlanes: readonly Addressed[], progress: (message: string) => void): Promise<void>;
  /** The bytes of a snapshot file, after its hash was compared with the one the plan has. */
  read(path: string, sha256: string): Promise<AsyncIterable<Uint8Array>>;
}

/** The Kubernetes API, and what should be there. */
export interface ClusterAccess {
  readonly client: KubernetesClient;
  readonly design: KubernetesDesign;
  /** A manifest by URL. */
  download(url: string): Promise<string>;
  /** A certificate and its key, PEM, for sealed-secrets. */
  newSealedKey(): Promise<{ readonly certificate: string; readonly key: string }>;
}

/** The Image Factory that images come from. */
export interface Schematics {
  /** Makes a schematic of this design known there: images of an unknown one are not served. */
  register(id: string): Promise<void>;
}

interface OfReadConfig {
  readonly digest: string;
}

/** A step changes the config that it has read, or none: what the client takes without a digest, a step cannot send. */
interface StepClient extends GuardedProxmox {
  updateVm(node: string, vmid: number, change: UpdateVm & OfReadConfig): Promise<void>;
  updateVmTask(node: string, vmid: number, change: UpdateVm & OfReadConfig): Promise<TaskRef | undefined>;
  resizeDisk(
    node: string,
    vmid: number,
    disk: string,
    size: number | string,
    digest: string,
  ): Promise<TaskRef>;
  moveDisk(node: string, vmid: number, move: MoveDisk & OfReadConfig): Promise<TaskRef>;
}

/** What the guard knows of this run. */
export interface RunGuard {
  readonly rules: DownRules;
  /** Throws when the cluster's lock is no longer ours. */
  readonly lock: Pick<WriteGate, 'open'>;
  /** Nodes whose turn has begun and that are not back yet. */
  readonly disrupted: Set<string>;
}

/** What a step is carried out with. The client stands behind the interlock. */
export interface StepContext {
  readonly client: StepClient;
  readonly clock: Clock;
  readonly machines?: MachineAccess;
  /** Absent without the secrets of the cluster. */
  readonly kubernetes?: ClusterAccess;
  readonly schematics: Schematics;
  readonly guard: RunGuard;
  readonly snapshots?: Snapshots;
  /** What one step of this run learned for another. */
  readonly memory: Map<string, string>;
  readonly cluster: ClusterOwner;
  /** For notes that outlive the run. */
  readonly runId?: string;
  /** Aborted by Ctrl-C: what can be cancelled without harm is; the rest is finished. */
  readonly signal: AbortSignal;
  progress(message: string): void;
}

export interface StepOutcome {
  /** Nothing had to be done: it was so already. */
  readonly already: boolean;
  readonly warnings?: readonly string[];
}

/** Reads, checks what the plan relied on, writes, reads back. Safe to repeat. */
export type Executor<K extends StepKind> = (step: StepOf<K>, context: StepContext) => Promise<StepOutcome>;

export const ALREADY: StepOutcome = { already: true };
export const DONE: StepOutcome = { already: false };
