/**
 * Looks at a twin once every lab second while a plan runs on it, and at its end: quorum, API, nodes, pods, memory, data. What
 * must never be is written down with the second in which it was seen first.
 */

import { majorityOf } from '../../model/quorum.js';
import type { KubeObject } from '../kubernetes/object.js';
import { readConfigFacts } from '../talos/config/config-facts.js';
import { KubernetesClusters } from '../talos/kubernetes/kubernetes-clusters.js';
import { TIMING } from '../talos/timing.js';
import { budgetsIn } from './budgets.js';
import { DataWatch } from './data-watch.js';
import { GateWatch } from './gate-watch.js';
import { keptData } from './kept-data.js';
import type { Twin } from './start-twin.js';

export interface TwinLimits {
  /** How many workers may be unavailable at a time. */
  readonly workers: number;
  /** False where an outage is what was asked for: a single control plane, or `policy.outage`. */
  readonly quorum: boolean;
  /** The VMs of control planes and workers; others are not counted. */
  readonly controlPlanes: readonly number[];
  readonly workerVms: readonly number[];
  /** Addresses on which clients reach the API. */
  readonly endpoints: readonly string[];
  /** False where PodDisruptionBudgets are not judged. */
  readonly budgets?: boolean;
  /** How old a snapshot of etcd may be when a control plane goes; absent: none is due. */
  readonly snapshotMaxAgeMs?: number;
  /** Which of the user's own conditions do not hold: no node may be begun then. */
  readonly closedGates?: (list: (resource: string) => readonly KubeObject[]) => readonly string[];
}

/** How it was at the beginning: what is not there yet, or does not work yet, cannot be lost. */
export interface WatchBaseline {
  /** Data that guests wrote. */
  readonly kept: ReadonlySet<string>;
  readonly runs: boolean;
  readonly nodes: readonly number[];
  /** How many pods each PodDisruptionBudget wants, of those that had them. */
  readonly budgets: ReadonlyMap<string, number>;
}

/** How it was in one second. */
export interface Sample {
  readonly at: number;
  /** How many voters of etcd may be lost before it stops; negative: it has stopped. */
  readonly margin: number;
  /** Endpoint → whether an API server answers there. */
  readonly api: Readonly<Record<string, boolean>>;
  /** VMs whose node does not work. */
  readonly away: readonly number[];
  /** `evicted`: all that have been asked to go since the beginning. */
  readonly pods: { readonly running: number; readonly pending: number; readonly evicted: number };
  /** Host → bytes of memory of the VMs that run there. */
  readonly memory: Readonly<Record<string, number>>;
}

export interface Watched {
  readonly samples: readonly Sample[];
  /** What must never be, each kind once. */
  readonly violations: readonly string[];
}

const SECOND = 1_000;
const API_PORT = 6443;
const MIB = 1024 ** 2;
/** A static pod restarts, or a shared address moves: clients repeat their request. */
const SILENCE_SECONDS = TIMING.staticPod / SECOND + 2;

/** With the `baseline` of another watcher where this one begins in the middle of a run. */
export function watchTwin(twin: Twin, limits: TwinLimits, baseline?: WatchBaseline): TwinWatch {
  return new TwinWatcher(twin, limits, baseline);
}

interface TwinWatch {
  readonly baseline: WatchBaseline;
  /** What was seen so far. */
  readonly violations: readonly string[];
  stop(): Watched;
}

class TwinWatcher implements TwinWatch {
  readonly #begun: number;
  readonly baseline: WatchBaseline;
  readonly #samples: Sample[] = [];
  readonly #seen = new Map<string, string>();
  readonly #left = new Set<string>();
  #silentSince: number | undefined;
  readonly #gates: GateWatch;
  readonly #data: DataWatch;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly twin: Twin,
    private readonly limits: TwinLimits,
    baseline?: WatchBaseline,
  ) {
    this.#begun = twin.lab.clock.now();
    this.baseline = baseline ?? this.#baseline();
    this.#gates = new GateWatch(limits.closedGates ?? (() => []));
    const { snapshotMaxAgeMs: maxAgeMs = Number.POSITIVE_INFINITY } = limits;
    const due = this.baseline.runs && limits.snapshotMaxAgeMs !== undefined;
    this.#data = new DataWatch(twin, { vms: due ? limits.controlPlanes : [], maxAgeMs });
    this.#next();
  }

  #baseline(): WatchBaseline {
    const { controlPlanes, workerVms } = this.limits;
    const { vms } = this.twin.lab.proxmox.pve.db;
    const runs = this.twin.room.db.etcd.size > 0 && this.#margin() >= 0;
    const objects = this.#objects();
    return {
      kept: new Set(keptData(this.twin)),
      runs,
      nodes: [...controlPlanes, ...workerVms].filter((vmid) => vms.has(String(vmid))),
      budgets: new Map(
        (objects ? budgetsIn(objects, this.#workingNodes()) : []).flatMap(({ name, wants, serve }) =>
          serve < wants ? [] : [[name, wants] as const],
        ),
      ),
    };
  }

  /** With a last look: a run may be over within a second. */
  stop(): Watched {
    if (this.#cancel) this.#look();
    this.#cancel?.();
    this.#cancel = undefined;
    return { samples: this.#samples, violations: this.violations };
  }

  get violations(): readonly string[] {
    return [...this.#seen.values()];
  }

  #next(): void {
    const { clock } = this.twin.lab;
    this.#cancel = clock.schedule(clock.now() + SECOND, () => {
      this.#look();
      this.#next();
    });
  }

  #look(): void {
    const { lab } = this.twin;
    const away = this.baseline.nodes.filter((vmid) => !this.#works(vmid));
    const margin = this.baseline.runs ? this.#margin() : Number.MAX_SAFE_INTEGER;
    const api = Object.fromEntries(
      this.limits.endpoints.map((ip) => [ip, margin >= 0 && lab.dial(ip, API_PORT) !== undefined]),
    );
    const pods = this.#objects()?.list('pods') ?? [];
    this.#samples.push({
      at: lab.clock.now(),
      margin,
      api,
      away,
      pods: {
        running: pods.filter((pod) => phaseOf(pod) === 'Running').length,
        pending: pods.filter((pod) => phaseOf(pod) === 'Pending').length,
        evicted: this.#leaving(pods),
      },
      memory: this.#memory(),
    });
    if (margin < 0 && this.limits.quorum) this.#violated('quorum', 'etcd has lost its quorum');
    const answers = Object.values(api);
    if (this.baseline.runs && answers.length > 0) this.#judgeApi(answers.includes(true));
    this.#judgeAway(away);
    if (this.limits.quorum && this.baseline.runs) this.#judgeBudgets();
    this.#judgeGates();
    this.#judgeData();
    const there = new Set(keptData(this.twin));
    for (const data of this.baseline.kept)
      if (!there.has(data)) this.#violated(data, `the data of ${data} is gone`);
  }

  /** Pods that go and come back elsewhere: not those that a DaemonSet keeps on every node. */
  #leaving(pods: readonly KubeObject[]): number {
    for (const { metadata } of pods) {
      const fixed = metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
      if (metadata.deletionTimestamp !== undefined && !fixed) this.#left.add(metadata.uid ?? metadata.name);
    }
    return this.#left.size;
  }

  #judgeApi(answers: boolean): void {
    const now = this.twin.lab.clock.now();
    this.#silentSince = answers ? undefined : (this.#silentSince ?? now);
    const silence = now - (this.#silentSince ?? now);
    if (silence >= SILENCE_SECONDS * SECOND && this.limits.quorum)
      this.#violated('api', `no API server answered for more than ${SILENCE_SECONDS} s`);
  }

  #judgeAway(away: readonly number[]): void {
    const workers = away.filter((vmid) => this.limits.workerVms.includes(vmid));
    if (workers.length > this.limits.workers)
      this.#violated('workers', `${workers.join(', ')} were unavailable at the same time`);
    const planes = away.filter((vmid) => this.limits.controlPlanes.includes(vmid));
    if (planes.length > 1 && this.limits.quorum)
      this.#violated('control planes', `${planes.join(', ')} were unavailable at the same time`);
  }

  #judgeBudgets(): void {
    const objects = this.#objects();
    if (!objects || this.limits.budgets === false) return;
    for (const { name, serve } of budgetsIn(objects, this.#workingNodes())) {
      const wants = this.baseline.budgets.get(name) ?? 0;
      if (serve < wants)
        this.#violated(`budget ${name}`, `PodDisruptionBudget ${name} wants ${wants} pods, ${serve} served`);
    }
  }

  #judgeGates(): void {
    const objects = this.#objects();
    if (!objects) return;
    for (const { node, gate } of this.#gates.look(objects, this.#workingNodes()))
      this.#violated(`gate ${gate}`, `${node} was disrupted although gate ${gate} was closed`);
  }

  #judgeData(): void {
    for (const volume of this.#data.takenVolumes())
      this.#violated(`taken ${volume}`, `volume ${volume} was detached while in use`);
    for (const vmid of this.#data.withoutSnapshot())
      this.#violated('snapshot', `VM ${vmid} went down without a recent snapshot of etcd`);
  }

  #workingNodes(): ReadonlySet<string> {
    const machines = [...this.twin.room.machines()].filter(({ vmid }) => this.#works(vmid));
    return new Set(machines.map(({ nodeName }) => nodeName));
  }

  #margin(): number {
    const { room } = this.twin;
    const margins = [...room.db.etcd.values()].map(({ id, members }) => {
      const voters = members.filter(({ learner }) => !learner);
      const up = voters.filter((member) =>
        [...room.machines()].some((machine) => {
          const data = machine.etcdData;
          return (
            machine.service('etcd')?.state === 'Running' &&
            data?.clusterId === id &&
            data.memberId === member.id
          );
        }),
      );
      return up.length - majorityOf(voters.length);
    });
    return Math.min(...margins, Number.MAX_SAFE_INTEGER);
  }

  #memory(): Record<string, number> {
    const memory: Record<string, number> = {};
    for (const vm of this.twin.lab.proxmox.pve.db.vms.values()) {
      if (!vm.running) continue;
      memory[vm.host] = (memory[vm.host] ?? 0) + Number(vm.running.config.memory ?? 512) * MIB;
    }
    return memory;
  }

  #works(vmid: number): boolean {
    const machine = this.twin.room.machine(vmid);
    return machine?.record.stage === 'running' && machine.service('kubelet')?.state === 'Running';
  }

  #objects() {
    const { kubernetes } = this.twin.room;
    if (!(kubernetes instanceof KubernetesClusters)) return undefined;
    for (const machine of this.twin.room.machines()) {
      if (!machine.isControlPlane || machine.config === undefined) continue;
      const objects = kubernetes.objectsOf(readConfigFacts(machine.config).cluster.id);
      if (objects) return objects;
    }
    return undefined;
  }

  #violated(kind: string, message: string): void {
    if (this.#seen.has(kind)) return;
    const second = Math.round((this.twin.lab.clock.now() - this.#begun) / SECOND);
    this.#seen.set(kind, `second ${second}: ${message}`);
  }
}

function phaseOf(pod: KubeObject): unknown {
  return (pod.status as { phase?: unknown } | undefined)?.phase;
}
