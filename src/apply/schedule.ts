/** Which step may start now: needs are done, no other step is at the same VM, its host is not too busy. */
import { isDisruptive } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';

/** `interrupted`: it waited for something when the run was stopped, and is to be done yet. */
export type StepEnd = 'done' | 'failed' | 'interrupted';

export class Schedule {
  readonly #waiting: Step[];
  readonly #running = new Set<Step>();
  readonly #done = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(
    steps: readonly Step[],
    private readonly perHost: number,
  ) {
    this.#waiting = [...steps];
  }

  get running(): number {
    return this.#running.size;
  }

  take(): Step | undefined {
    const index = this.#waiting.findIndex((step) => this.#mayStart(step));
    if (index < 0) return undefined;
    const [step] = this.#waiting.splice(index, 1);
    if (step) this.#running.add(step);
    return step;
  }

  finish(step: Step, end: StepEnd): void {
    this.#running.delete(step);
    if (end === 'interrupted') this.#waiting.unshift(step);
    else (end === 'done' ? this.#done : this.#failed).add(step.id);
  }

  result(): { done: string[]; failed: string[]; notStarted: string[] } {
    return {
      done: [...this.#done],
      failed: [...this.#failed],
      notStarted: this.#waiting.map((step) => step.id),
    };
  }

  #mayStart(step: Step): boolean {
    if (!step.needs.every((need) => this.#done.has(need))) return false;
    const others = [...this.#running];
    // No node is taken away after something has failed.
    if (
      this.#failed.size > 0 &&
      (step.kind === 'begin-disruption' || (isDisruptive(step.impact) && !isRolled(step)))
    ) {
      return false;
    }
    // A plan that rolls says itself who goes after whom; otherwise one at a time, whoever it concerns.
    if (isDisruptive(step.impact) && !isRolled(step) && others.some((other) => isDisruptive(other.impact)))
      return false;
    const ids = vmsOf(step);
    if (others.some((other) => vmsOf(other).some((vmid) => ids.includes(vmid)))) return false;
    const { host } = step.load;
    return host === undefined || others.filter((other) => other.load.host === host).length < this.perHost;
  }
}

function isRolled(step: Step): boolean {
  return step.needs.some((need) => need.startsWith('begin-disruption:'));
}

/** Two steps at one VM would invalidate each other's digest. */
function vmsOf(step: Step): number[] {
  const ids: number[] = [];
  if ('vmid' in step && step.kind !== 'create-csi-volume') ids.push(step.vmid);
  if ('dataVmid' in step && step.dataVmid !== undefined) ids.push(step.dataVmid);
  if ('talosVmid' in step) ids.push(step.talosVmid);
  return ids;
}
