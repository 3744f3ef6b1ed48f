/** What the page and its server say to each other. Types alone: both sides are compiled against them. */
import type { HostPicture, Picture } from '../export/picture/picture.js';
import type { Condition } from '../health/condition.js';
import type { NodeRow } from '../health/node-rows.js';
import type { RunEvent } from '../model/events.js';
import type { Answer, Confirmation } from '../session/confirm/confirmation.js';
import type { RunSummary } from '../session/journal/run-summary.js';
import type {
  BlockView,
  Capacity,
  HostState,
  Impact,
  Note,
  Problem,
  UnreadPart,
  VolumeRow,
} from '../session/plan/index.js';
import type { ChaosResult } from '../session/rehearse/chaos/chaos-case.js';
import type { Rehearsal } from '../session/rehearse/rehearsal.js';

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
}

export interface FleetView {
  readonly version: string;
  /** Whether this page may start a run or write the config. */
  readonly write: boolean;
  readonly clusters: readonly ClusterSummary[];
  /** A fleet: clusters are read when someone looks at them, and nothing is started from the page. */
  readonly fleet: boolean;
}

export interface ClusterSummary {
  readonly id: string;
  readonly name: string;
  /** As it was named on the command line. */
  readonly config: string;
  readonly lab: boolean;
  /**
   * `listed`: of a fleet, and not read yet. `reading`: for the first time. `stale`: the last reading failed, and what is
   * shown is older.
   */
  readonly state: 'listed' | 'reading' | 'current' | 'stale' | 'failed';
  /** Of a fleet: what its controller says. */
  readonly reported?: { readonly health: ReportedWord; readonly sync: ReportedWord };
  readonly error?: ErrorView;
  /** When it was read, by the server's clock. */
  readonly at?: number;
  readonly versions?: string;
  readonly health?: HealthCounts;
  readonly quorum?: Quorum;
  readonly hosts?: number;
  readonly nodes?: number;
  readonly plan?: PlanSummary;
  /** Who holds the cluster's lock. */
  readonly lock?: string;
  /** Whole days until the first certificate ends. */
  readonly certificateDays?: number;
  readonly lastRun?: RunSummary & { readonly active: boolean };
  /** What a person should look at, most urgent first. */
  readonly needs: readonly Need[];
}

interface ReportedWord {
  readonly level: 'ok' | 'note' | 'failed' | 'unknown' | 'busy';
  readonly text: string;
}

export interface Need {
  readonly what: string;
  readonly page: 'health' | 'plan' | 'run' | 'map' | 'history';
  readonly level: 'failed' | 'note';
}

export type HealthCounts = Readonly<Record<Condition['state'], number>>;

export interface Quorum {
  readonly members: number;
  readonly healthy: number;
  /** How many more may fail; negative: no quorum. */
  readonly margin: number;
}

export interface PlanSummary {
  readonly planId: string;
  readonly steps: number;
  /** The most disruptive of its steps. */
  readonly impact: Impact;
  readonly problems: number;
  /** Parts in scope that were not read. */
  readonly incomplete: number;
  readonly what: string;
}

/** One observation of one cluster: what the map, health and capacity are drawn from. */
export interface ClusterView {
  /** The same text for the same content, on any server. */
  readonly revision: string;
  readonly summary: ClusterSummary;
  readonly picture: Picture;
  readonly nodes: readonly NodeRow[];
  readonly hosts: readonly HostState[];
  /** Those that do not hold, and what is worth knowing. */
  readonly conditions: readonly Condition[];
  readonly layers: readonly { readonly layer: string; readonly holds: number; readonly of: number }[];
  readonly commands: Readonly<Record<string, string>>;
}

/** What differs from the view with the revision `base`. Parts that are the same are absent. */
export interface ViewChange {
  readonly base: string;
  readonly revision: string;
  readonly head?: Omit<Picture, 'hosts'>;
  readonly pictures?: ListChange<HostPicture>;
  readonly nodes?: ListChange<NodeRow>;
  readonly hosts?: ListChange<HostState>;
  readonly conditions?: readonly Condition[];
  readonly layers?: ClusterView['layers'];
  readonly commands?: ClusterView['commands'];
}

/** Of a list of things with names. */
export interface ListChange<T> {
  /** All names in their order, where it is another one than before. */
  readonly order?: readonly string[];
  /** Those that are new or differ. */
  readonly items: readonly T[];
}

export interface PlanView {
  readonly planId: string;
  readonly blocks: readonly BlockView[];
  readonly problems: readonly Problem[];
  /** Parts in scope that were not read. */
  readonly incomplete: readonly UnreadPart[];
  readonly notes: readonly Note[];
  readonly what: string;
  readonly downtime?: string;
  /** In the order in which nodes go down; those of one wave together. */
  readonly waves: readonly (readonly WaveNode[])[];
  readonly order: string;
  /** Why this page does not apply it; absent: it may, with `--write`. */
  readonly refused?: string;
  /** The questions before it is applied; absent for a plan that was only tried out. */
  readonly confirmation?: Confirmation;
  readonly commands: Readonly<Record<'plan' | 'apply' | 'rehearse', string>>;
}

/** Asks for a plan to be applied. */
export interface ApplyRequest {
  readonly planId: string;
  readonly answer: Answer;
}

interface WaveNode {
  readonly node: string;
  /** How long it is expected to be unavailable. */
  readonly time: string;
}

export interface RunView {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  /** Its process goes on. */
  readonly active: boolean;
  /** It was started from this page, so it can be stopped here. */
  readonly own: boolean;
  readonly controlPlanes: readonly string[];
  /** What the rehearsal of the same plan predicted, in milliseconds. */
  readonly predictedMs?: number;
  readonly commands: Readonly<Record<'show' | 'resume' | 'stop', string>>;
}

export interface HistoryView {
  /** Why journals of runs cannot be read; their runs are not listed. */
  readonly problems: readonly ErrorView[];
  readonly runs: readonly (RunSummary & { readonly active: boolean; readonly predictedMs?: number })[];
  readonly command: string;
}

export interface VolumesView {
  readonly rows: readonly VolumeRow[];
  /** Bytes of volumes that nothing uses. */
  readonly reclaimable: number;
  readonly command: string;
}

export interface HealthView {
  readonly conditions: readonly Condition[];
  readonly command: string;
}

export interface UpgradeView {
  readonly running?: {
    readonly talos: readonly string[];
    readonly kubernetes: readonly string[];
    readonly nodes: readonly {
      readonly node: string;
      readonly talos: string;
      readonly kubernetes?: string;
    }[];
  };
  readonly goal: { readonly talos: string; readonly kubernetes: string };
  readonly choices: { readonly talos: readonly string[]; readonly kubernetes: readonly string[] };
  readonly hops: readonly {
    readonly what: 'talos' | 'kubernetes';
    readonly from: string;
    readonly to: string;
  }[];
  /** Why there is no path. */
  readonly refused?: string;
  readonly command: string;
}

export interface CapacityFigures extends Pick<Capacity, 'hosts' | 'problems' | 'notes'> {
  /** What happens when a host fails. */
  readonly failovers: readonly {
    readonly host: string;
    readonly etcd: string;
    readonly room: string;
    readonly isBad: boolean;
  }[];
}

export interface CapacityView {
  readonly capacity: CapacityFigures;
  readonly groups: readonly NodeGroup[];
  /** All hosts that a node could be on. */
  readonly hosts: readonly string[];
  /** Why the config is not one that can be edited. */
  readonly fixed?: string;
}

/** An entry of `nodes:` in oxherd.yaml. */
export interface NodeGroup {
  readonly name: string;
  readonly role: string;
  /** Absent: the entry is one node. */
  readonly count?: number;
  readonly cores: number;
  /** As oxherd.yaml writes it. */
  readonly memory: string;
  readonly hosts: readonly string[];
  readonly nodes: readonly string[];
}

export interface WhatIfEdit {
  readonly group: string;
  readonly count?: number;
  readonly cores?: number;
  readonly memory?: string;
  readonly hosts?: readonly string[];
}

export interface WhatIfView {
  readonly capacity: CapacityFigures;
  /** Lines of oxherd.yaml that change. */
  readonly diff: readonly string[];
  readonly plan?: PlanView;
  /** Where the edited config has errors, or the plan could not be made. */
  readonly error?: ErrorView;
  /** Of the file before and after: confirming the lines that were shown sends it back. */
  readonly digest: string;
  /** What is asked before they are written. */
  readonly question: string;
}

export interface RehearsalView {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  readonly planId?: string;
  /** Titles of the steps that run on the twin. */
  readonly progress: readonly string[];
  readonly rehearsal?: Rehearsal;
  readonly clean?: boolean;
  /** Cases of `oxherd rehearse --chaos` that were tried for this plan. */
  readonly chaos: readonly ChaosResult[];
  readonly error?: ErrorView;
  readonly command: string;
}

/** What the stream carries. */
export type StreamEvent =
  /** A cluster was read again. Without `change`, or with another base than the page has, the whole view is to be asked for. */
  | {
      readonly type: 'changed';
      readonly cluster: string;
      readonly summary: ClusterSummary;
      readonly change?: ViewChange;
    }
  | {
      readonly type: 'run';
      readonly cluster: string;
      readonly runId: string;
      readonly events: readonly RunEvent[];
    }
  | { readonly type: 'rehearsal'; readonly cluster: string };
