/** How many requests left in the last minute, in steps of ten seconds. */
import type { Clock } from '../../model/clock.js';

const STEP_MS = 10_000;
const STEPS = 6;

export class RequestUse {
  /** Step → requests in it. */
  readonly #counts = new Map<number, number>();

  constructor(private readonly time: Pick<Clock, 'elapsed'>) {}

  count(): void {
    const step = this.#step();
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1);
    for (const old of this.#counts.keys()) if (old < step - STEPS) this.#counts.delete(old);
  }

  /** Of whole steps: the one that goes on is not in it. */
  get perMinute(): number {
    const now = this.#step();
    let sum = 0;
    for (const [step, count] of this.#counts) if (step < now && step >= now - STEPS) sum += count;
    return sum;
  }

  #step(): number {
    return Math.floor(this.time.elapsed() / STEP_MS);
  }
}
