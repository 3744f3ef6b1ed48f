/**
 * Looks at a lab once every lab second while something happens, and writes down whatever must never be: quorum lost,
 * the API away for longer than a hand-over takes, too many nodes away, a disruption budget violated, data gone.
 */
import type { Lab } from '../../src/lab/index.js';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
import { KubernetesClusters } from '../../src/lab/talos/kubernetes/kubernetes-clusters.js';
import type { TalosRoom } from '../../src/lab/talos/room.js';
import { TIMING } from '../../src/lab/talos/timing.js';
import { isSystemDisk } from '../../src/lab/talos/volumes/partitions.js';
import { ApiProbe } from './api-probe.js';

export interface Watched {
  readonly lab: Lab;
  readonly room: TalosRoom;
  /** VMs of the nodes; one that is missing or does not run its kubelet is away. */
  readonly vmids: readonly number[];
  /** Shared addresses of the API: the one before and the one after where a change gives it another. */
  readonly vips: readonly string[];
}

export interface Limits {
  /** How many nodes may be unavailable at a time. */
  readonly away: number;
  /** For how long nobody may answer on the VIP at a stretch while no machine holds it. */
  /** Infinite: the API is not asked at all. */
  readonly handOverSeconds: number;
  /** The same while the machine that holds it restarts its API server. */
  readonly restartSeconds: number;
  /** False where an outage is what was asked for. */
  readonly quorum: boolean;
  /** False where pods are taken away by what nobody asked for. */
  readonly budgets: boolean;
}

export interface Report {
  readonly samples: number;
  /** What must never be, each kind once, with the second it was first seen at. */
  readonly violations: readonly string[];
  readonly mostAway: number;
  readonly longestSilenceSeconds: number;
  /** In the order in which they went. */
  readonly went: readonly number[];
}

const SECOND = 1_000;
const HAND_OVER_SECONDS = 2;
/**
 * Talos elects the holder of a shared address by etcd and kubelet; an API server that restarts with another image or flag
 * keeps it for as long as the lab lets the restart take, and a look may fall on both ends.
 */
const API_SERVER_RESTART_SECONDS = TIMING.staticPod / SECOND + 1;
/** A machine that is cut off hands nothing over: the address is free once etcd has noticed. */
export const AFTER_A_FAULT: Partial<Limits> = { handOverSeconds: 8 };
const DEFAULT_LIMITS: Limits = {
  away: 1,
  handOverSeconds: HAND_OVER_SECONDS,
  restartSeconds: API_SERVER_RESTART_SECONDS,
  quorum: true,
  budgets: true,
};

export async function watching<T>(
  watched: Watched,
  work: () => Promise<T>,
  limits: Partial<Limits> = {},
): Promise<{ readonly result: T; readonly report: Report }> {
  const watcher = new Watcher(watched, { ...DEFAULT_LIMITS, ...limits });
  try {
    return { result: await work(), report: watcher.stop() };
  } finally {
    watcher.stop();
  }
}

class Watcher {
  readonly #begun: number;
  readonly #kept: ReadonlySet<string>;
  readonly #seen = new Map<string, string>();
  readonly #went: number[] = [];
  #away = new Set<number>();
  #samples = 0;
  #mostAway = 0;
  #silence = 0;
  /** Of the silence: while no machine held the address. */
  #unheld = 0;
  #longestSilence = 0;
  #cancel: (() => void) | undefined;
  readonly #probes: readonly ApiProbe[];

  constructor(
    private readonly watched: Watched,
    private readonly limits: Limits,
  ) {
    this.#begun = watched.lab.clock.now();
    this.#kept = new Set(keptData(watched.lab));
    const probed = limits.handOverSeconds === Number.POSITIVE_INFINITY ? [] : watched.vips;
    this.#probes = probed.map((vip) => new ApiProbe(watched.lab, vip));
    this.#next();
  }

  stop(): Report {
    this.#cancel?.();
    for (const probe of this.#probes) probe.close();
    return {
      samples: this.#samples,
      violations: [...this.#seen.values()],
      mostAway: this.#mostAway,
      longestSilenceSeconds: this.#longestSilence,
      went: this.#went,
    };
  }

  #next(): void {
    const { clock } = this.watched.lab;
    this.#cancel = clock.schedule(clock.now() + SECOND, () => {
      this.#sample();
      this.#next();
    });
  }

  #sample(): void {
    this.#samples += 1;
    // An error here would stop the clock and with it the test.
    try {
      this.#lookAtQuorum();
      this.#lookAtApi();
      this.#lookAtNodes();
      this.#lookAtBudgets();
      this.#lookAtData();
    } catch (error) {
      this.#violated('watcher', `the watcher failed: ${error}`);
    }
  }

  #lookAtQuorum(): void {
    const { etcd, db } = this.watched.room;
    for (const cluster of db.etcd.values()) {
      const up = etcd.hasQuorum(cluster);
      if (!up && this.limits.quorum) this.#violated('quorum', `etcd ${cluster.id} has lost its quorum`);
    }
  }

  /** Lab time waits for the answer, so that it belongs to this second. */
  #lookAtApi(): void {
    const asked = Promise.all(this.#probes.map((probe) => probe.answers())).then((answers) =>
      this.#heard(answers.includes(true)),
    );
    this.watched.lab.clock.hold(asked);
  }

  #heard(answers: boolean): void {
    this.#silence = answers ? 0 : this.#silence + 1;
    this.#unheld = answers ? 0 : this.#unheld + Number(!this.#holderRestarts());
    this.#longestSilence = Math.max(this.#longestSilence, this.#silence);
    const { handOverSeconds, restartSeconds } = this.limits;
    const where = this.watched.vips.join(', ');
    if (this.#unheld > handOverSeconds)
      this.#violated(
        'api',
        `no answer on ${where} for ${this.#silence} s, ${this.#unheld} s without a holder`,
      );
    if (this.#silence > Math.max(handOverSeconds, restartSeconds))
      this.#violated('api', `no answer on ${where} for ${this.#silence} s`);
  }

  /** It is up and has the address, and its API server is on its way. */
  #holderRestarts(): boolean {
    const { room, vips } = this.watched;
    return vips.some((vip) => {
      const holder = room.db.vips.get(vip);
      return holder !== undefined && room.machine(holder)?.record.controlPlane === 'starting';
    });
  }

  #lookAtNodes(): void {
    const { room, vmids } = this.watched;
    const away = vmids.filter((vmid) => !isUp(room, vmid));
    for (const vmid of away) if (!this.#away.has(vmid)) this.#went.push(vmid);
    this.#away = new Set(away);
    this.#mostAway = Math.max(this.#mostAway, away.length);
    if (away.length > this.limits.away) this.#violated('away', `${away.join(', ')} are away together`);
  }

  /** A pod counts while it is Ready and its machine is up: Kubernetes itself notices a lost node only later. */
  #lookAtBudgets(): void {
    const { room } = this.watched;
    const api = kubernetesOf(room);
    // An outage is one for the workloads too.
    if (!api || !this.limits.quorum || !this.limits.budgets) return;
    // All machines, also one that is being added or removed: its pods serve like any other's.
    const upNames = new Set(
      [...room.machines()].filter((machine) => isUp(room, machine.vmid)).map((machine) => machine.nodeName),
    );
    for (const budget of api.list('poddisruptionbudgets.policy')) {
      const spec = budget.spec as {
        minAvailable?: number;
        selector: { matchLabels: Record<string, string> };
      };
      const wanted = Object.entries(spec.selector.matchLabels);
      const serving = api
        .list('pods', budget.metadata.namespace)
        .filter((pod) => wanted.every(([key, value]) => pod.metadata.labels?.[key] === value))
        .filter((pod) => isReady(pod) && upNames.has(String((pod.spec as { nodeName?: string }).nodeName)));
      if (serving.length < (spec.minAvailable ?? 0))
        this.#violated(
          `budget ${budget.metadata.name}`,
          `budget ${budget.metadata.name} wants ${spec.minAvailable} pods, and ${serving.length} serve`,
        );
    }
  }

  #lookAtData(): void {
    const there = new Set(keptData(this.watched.lab));
    for (const data of this.#kept) {
      if (!there.has(data)) this.#violated(`data ${data}`, `the data of ${data} is gone`);
    }
  }

  #violated(kind: string, message: string): void {
    if (this.#seen.has(kind)) return;
    const second = Math.round((this.watched.lab.clock.now() - this.#begun) / SECOND);
    this.#seen.set(kind, `second ${second}: ${message}`);
  }
}

function isUp(room: TalosRoom, vmid: number): boolean {
  const machine = room.machine(vmid);
  return machine?.record.stage === 'running' && machine.service('kubelet')?.state === 'Running';
}

function isReady(pod: KubeObject): boolean {
  const { conditions = [] } = pod.status as { conditions?: { type: string; status: string }[] };
  return (
    pod.metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}

/** The Kubernetes of the lab's only cluster, while a control plane of it runs. */
export function kubernetesOf(room: TalosRoom) {
  const { kubernetes } = room;
  if (!(kubernetes instanceof KubernetesClusters)) return undefined;
  for (const machine of room.machines()) {
    const api = machine.isControlPlane && kubernetes.objectsOf(machine.facts?.cluster.id ?? '');
    if (api) return api;
  }
  return undefined;
}

/** The same where one must run. */
export function runningKubernetes({ room }: { readonly room: TalosRoom }) {
  const found = kubernetesOf(room);
  if (!found) throw new Error('there is no Kubernetes');
  return found;
}

/** What guests wrote on disks other than system disks: the partition and the moment it was made, which stays. */
export function keptData(lab: Lab): string[] {
  const found: string[] = [];
  for (const volume of lab.proxmox.pve.db.volumes.values()) {
    if (volume.content !== 'images' || isSystemDisk(volume.data)) continue;
    for (const [label, data] of Object.entries(volume.data.data ?? {})) {
      const begun = data !== null && typeof data === 'object' && 'begun' in data ? data.begun : undefined;
      if (begun !== undefined) found.push(`${label} of ${begun}`);
    }
  }
  return found.sort();
}
