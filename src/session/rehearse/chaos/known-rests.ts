/**
 * What became of runs from a state on. Where a case stands as another one did, or as the recorded run without faults, with the
 * same steps left to do, the rest is known: there the case ends.
 */
import { lockPools } from '../../../apply/lock/pools.js';
import { digestOf, stateDigest } from '../../../lab/twin/same-state.js';
import type { Twin } from '../../../lab/twin/start-twin.js';
import type { Plan } from '../../../plan/plan.js';
import type { Recording } from './record-cases.js';

/** How it ends once the first run is over: what the next run says, and what is left after a person has helped. */
export interface Ending {
  readonly second?: string;
}

/** The rest of a run, and what follows. Nothing of it: it goes through, and leaves nothing to do. */
export interface KnownRest {
  /** What the run itself says at its end. */
  readonly said?: string;
  readonly ending: Ending;
  /** Whether the fault strikes on the way. */
  readonly strikes: boolean;
}

/** Where a run stands when a step begins. */
export interface Stand {
  readonly plan: Plan;
  readonly done: ReadonlySet<string>;
  readonly running: ReadonlySet<string>;
  readonly memory: ReadonlyMap<string, string>;
}

export type Learned = readonly [key: string, rest: KnownRest];

export const WELL: KnownRest = { ending: {}, strikes: false };

export class KnownRests {
  readonly #known = new Map<string, KnownRest>();
  readonly #locks: ReadonlySet<string>;
  readonly #snapshotMaxAgeMs: number;
  #learned: Learned[] = [];

  constructor(recording: Recording) {
    this.#snapshotMaxAgeMs = recording.snapshotMaxAgeMs;
    this.#locks = new Set(lockPools(recording.prepared.design.cluster, true));
    // Only what is known to end well spares a case the rest of its way.
    if (!recording.end) return;
    const { plan } = recording.prepared;
    for (const { kept, behind, running } of recording.points.values())
      this.#known.set(this.#runKey(this.#stateOf(kept.state), { plan, ...behind, running }), WELL);
    this.#known.set(endKey(this.#stateOf(recording.end)), WELL);
  }

  /** Names where the run stands. */
  keyOf(twin: Twin, stand: Stand): string {
    return this.#runKey(this.#stateOf(twin.keep()), stand);
  }

  /** Names where the twin stands when no run is under way. */
  endKeyOf(twin: Twin): string {
    return endKey(this.#stateOf(twin.keep()));
  }

  get(key: string): KnownRest | undefined {
    return this.#known.get(key);
  }

  learn(entries: Iterable<Learned>): void {
    for (const [key, rest] of entries) {
      if (this.#known.has(key)) continue;
      this.#known.set(key, rest);
      this.#learned.push([key, rest]);
    }
  }

  /** What was learned since this was last asked. */
  takeLearned(): readonly Learned[] {
    const learned = this.#learned;
    this.#learned = [];
    return learned;
  }

  #stateOf(state: Parameters<typeof stateDigest>[0]): string {
    const isLock = (table: string, key: string): boolean => table === 'pve/pools' && this.#locks.has(key);
    return stateDigest(state, isLock, this.#snapshotMaxAgeMs);
  }

  #runKey(state: string, { plan, done, running, memory }: Stand): string {
    const left = plan.steps.filter(({ id }) => !done.has(id));
    const nodesLeft = new Set(left.map(({ node }) => node));
    const nodesDone = new Set(plan.steps.map(({ node }) => node).filter((node) => !nodesLeft.has(node)));
    // What was learned about a node is for the steps of that node.
    const needed = [...memory].filter(([key]) => !nodesDone.has(key.split(' ').at(-1)));
    const ids = left.map(({ id }) => id).sort();
    return digestOf(JSON.stringify([state, ids, [...running].sort(), needed.sort()]));
  }
}

function endKey(state: string): string {
  return digestOf(`end ${state}`);
}
