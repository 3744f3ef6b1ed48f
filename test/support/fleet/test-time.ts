/** Time that a test moves. */
import type { Clock } from '../../../src/model/clock.js';

/** The wall of a test: stands still until someone moves it. Nothing that sleeps on it wakes before. */
export class TestTime implements Clock {
  #now = Date.parse('2026-06-01T10:00:00Z');
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  set(iso: string): void {
    this.pass(Date.parse(iso) - this.#now);
  }
}
