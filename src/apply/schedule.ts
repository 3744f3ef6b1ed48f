/** Which step may start now: needs are done, no other step is at the same VM, its host is not too busy. */
import { isDisruptive } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';

/** `interrupted`: it waited for something when the run was stopped, and is to be done yet. */
export type StepEnd = 'done' | 'failed' | 'interrupted';

interface ScheduleLimits {
  /** Steps at a time on one host that write to its storages, and as many others. */
  readonly perHost: number;
  /** Everything goes anyway, so nodes need not go one after the other. */
  readonly allAtOnce?: boolean;
  /** Whether a node may be taken away now; asked before its first disruptive step. */
  readonly mayDisrupt?: (step: Step) => boolean;
  /** Steps that an earlier run of the same plan has done. */
  readonly done?: ReadonlySet<string>;
}

/** Every question is answered from counters, so that a thousand nodes cost what they cost and not their square. */
export class Schedule {
  readonly #place = new Map<Step, number>();
  /** Needs that are not done yet. */
  readonly #open = new Map<Step, number>();
  readonly #dependents = new Map<string, Step[]>();
  /** Steps whose needs are done, in the plan's order. */
  readonly #ready: Step[] = [];
  readonly #running = new Set<Step>();
  /** Steps that have their turn in a roll. */
  readonly #rolled = new Set<Step>();
  readonly #done = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #busyVms = new Set<number>();
  readonly #busyPlaces = new Map<string, number>();
  #disruptions = 0;

  constructor(
    steps: readonly Step[],
    private readonly limits: ScheduleLimits,
  ) {
    const begins = new Set(steps.flatMap(({ kind, id }) => (kind === 'begin-disruption' ? [id] : [])));
    for (const [index, step] of steps.entries()) {
      if (step.needs.some((need) => begins.has(need))) this.#rolled.add(step);
      this.#place.set(step, index);
      this.#open.set(step, step.needs.length);
      for (const need of step.needs) {
        const dependents = this.#dependents.get(need);
        if (dependents) dependents.push(step);
        else this.#dependents.set(need, [step]);
      }
      if (step.needs.length === 0) this.#ready.push(step);
    }
    for (const step of limits.done ? steps : []) if (limits.done?.has(step.id)) this.#pass(step);
  }

  get running(): number {
    return this.#running.size;
  }

  take(): Step | undefined {
    const index = this.#ready.findIndex((step) => this.#mayStart(step));
    if (index < 0) return undefined;
    const [step] = this.#ready.splice(index, 1);
    if (step) this.#occupy(step, 1);
    return step;
  }

  finish(step: Step, end: StepEnd): void {
    this.#occupy(step, -1);
    if (end === 'interrupted') {
      this.#addReady(step);
      return;
    }
    if (end === 'failed') this.#failed.add(step.id);
    else this.#release(step);
  }

  #pass(step: Step): void {
    const waiting = this.#ready.indexOf(step);
    if (waiting >= 0) this.#ready.splice(waiting, 1);
    this.#release(step);
  }

  #release(step: Step): void {
    this.#done.add(step.id);
    for (const dependent of this.#dependents.get(step.id) ?? []) {
      const open = (this.#open.get(dependent) ?? 0) - 1;
      this.#open.set(dependent, open);
      if (open === 0 && !this.#done.has(dependent.id)) this.#addReady(dependent);
    }
  }

  result(): { done: string[]; failed: string[]; notStarted: string[] } {
    const steps = [...this.#place.keys()].map((step) => step.id);
    return {
      done: [...this.#done],
      failed: [...this.#failed],
      notStarted: steps.filter((id) => !this.#done.has(id) && !this.#failed.has(id)),
    };
  }

  #addReady(step: Step): void {
    const place = this.#place.get(step) ?? 0;
    let low = 0;
    let high = this.#ready.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = this.#ready[middle];
      if (there && (this.#place.get(there) ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    this.#ready.splice(low, 0, step);
  }

  #occupy(step: Step, change: 1 | -1): void {
    if (change === 1) this.#running.add(step);
    else this.#running.delete(step);
    for (const vmid of vmsOf(step)) {
      if (change === 1) this.#busyVms.add(vmid);
      else this.#busyVms.delete(vmid);
    }
    if (isDisruptive(step.impact)) this.#disruptions += change;
    const place = placeOf(step);
    if (place !== undefined) this.#busyPlaces.set(place, (this.#busyPlaces.get(place) ?? 0) + change);
  }

  #mayStart(step: Step): boolean {
    const { perHost, allAtOnce } = this.limits;
    const alone = isDisruptive(step.impact) && !this.#rolled.has(step) && !allAtOnce;
    // No node is taken away after something has failed.
    if (this.#failed.size > 0 && (step.kind === 'begin-disruption' || alone)) return false;
    const { mayDisrupt } = this.limits;
    if (mayDisrupt && (step.kind === 'begin-disruption' || alone) && !mayDisrupt(step)) return false;
    // A plan that rolls says itself who goes after whom; otherwise one at a time, whoever it concerns.
    if (alone && this.#disruptions > 0) return false;
    if (vmsOf(step).some((vmid) => this.#busyVms.has(vmid))) return false;
    const place = placeOf(step);
    return place === undefined || (this.#busyPlaces.get(place) ?? 0) < perHost;
  }
}

/** A VM need not wait for its start until disks of others are made: of those there are fewer at a time on a storage. */
function placeOf({ load: { host, storage } }: Step): string | undefined {
  return host === undefined || storage === undefined ? host : `${host} storages`;
}

/** Two steps at one VM would invalidate each other's digest. */
function vmsOf(step: Step): number[] {
  const ids: number[] = [];
  if ('vmid' in step && step.kind !== 'create-csi-volume') ids.push(step.vmid);
  if ('dataVmid' in step && step.dataVmid !== undefined) ids.push(step.dataVmid);
  if ('talosVmid' in step) ids.push(step.talosVmid);
  return ids;
}
