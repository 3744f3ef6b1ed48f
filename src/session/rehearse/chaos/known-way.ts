/**
 * Where a run with a fault stands as the recorded run without one did at the same step, with the same steps before it, the
 * rest is known: it goes through and breaks nothing. There the case ends.
 */
import { lockPools } from '../../../apply/lock/pools.js';
import { firstDifference } from '../../../lab/twin/same-state.js';
import type { Twin } from '../../../lab/twin/start-twin.js';
import type { RunEvent } from '../../../model/events.js';
import type { Plan } from '../../../plan/plan.js';
import type { Recording } from './record-cases.js';

export class KnownWay {
  readonly #locks: ReadonlySet<string>;
  #met = false;

  constructor(
    private readonly recording: Recording,
    private readonly twin: Twin,
    /** Ends the run. */
    private readonly cut: AbortController,
  ) {
    this.#locks = new Set(lockPools(recording.prepared.design.cluster, true));
  }

  /** Whether the run was ended here. */
  get met(): boolean {
    return this.#met;
  }

  look(event: RunEvent, plan: Plan, done: ReadonlySet<string>): void {
    if (event.type !== 'step-started' || this.#met || !this.recording.end) return;
    const point = this.recording.points.get(event.step);
    if (!point || !this.#sameLeft(plan, done, point.behind.done)) return;
    if (this.#differs(point.kept.state)) return;
    this.#met = true;
    this.cut.abort();
  }

  /** Whether all is as the recorded run left it, and nothing is left to do. */
  isOver(): boolean {
    const { end } = this.recording;
    return end !== undefined && !this.#differs(end);
  }

  #differs(state: Parameters<typeof firstDifference>[0]): boolean {
    const isLock = (table: string, key: string): boolean => table === 'pve/pools' && this.#locks.has(key);
    return firstDifference(state, this.twin.keep(), isLock) !== undefined;
  }

  #sameLeft(plan: Plan, done: ReadonlySet<string>, recorded: ReadonlySet<string>): boolean {
    const left = (steps: Plan['steps'], past: ReadonlySet<string>) =>
      steps.map(({ id }) => id).filter((id) => !past.has(id));
    const ours = new Set(left(plan.steps, done));
    const theirs = left(this.recording.prepared.plan.steps, recorded);
    return ours.size === theirs.length && theirs.every((id) => ours.has(id));
  }
}
