/**
 * Keys that want attention: each at most once in the queue and at most once in work; one that is added while it is in work
 * comes again afterwards. Failures come back later and later.
 */
import { retryPause } from '../../clients/kubernetes/watch.js';

interface Timers {
  now(): number;
  random(): number;
}

export class WorkQueue {
  /** Key → when it is due. */
  readonly #due = new Map<string, number>();
  readonly #working = new Set<string>();
  readonly #failures = new Map<string, number>();

  constructor(private readonly timers: Timers) {}

  /** Due after `ms`; an earlier time that is known stays. */
  add(key: string, ms = 0): void {
    const at = this.timers.now() + ms;
    const known = this.#due.get(key);
    if (known === undefined || at < known) this.#due.set(key, at);
  }

  forget(key: string): void {
    this.#due.delete(key);
    this.#failures.delete(key);
  }

  /** The key that has been due longest and is not in work. */
  take(): string | undefined {
    const now = this.timers.now();
    let best: { readonly key: string; readonly at: number } | undefined;
    for (const [key, at] of this.#due) {
      if (at > now || this.#working.has(key) || (best && best.at <= at)) continue;
      best = { key, at };
    }
    if (!best) return undefined;
    this.#due.delete(best.key);
    this.#working.add(best.key);
    return best.key;
  }

  /** Ends the work on a key; `again`: milliseconds after which it is due once more. */
  done(key: string, again?: number): void {
    this.#working.delete(key);
    this.#failures.delete(key);
    if (again !== undefined) this.add(key, again);
  }

  failed(key: string): void {
    this.#working.delete(key);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.add(key, retryPause(failures, this.timers.random));
  }

  /** Milliseconds until the next key is due; `undefined`: none is. */
  wait(): number | undefined {
    const times = [...this.#due].flatMap(([key, at]) => (this.#working.has(key) ? [] : [at]));
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - this.timers.now());
  }

  get depth(): number {
    return this.#due.size;
  }

  get working(): number {
    return this.#working.size;
  }
}
