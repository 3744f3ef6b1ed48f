/** Lets a write out only while the lock was read to be ours within the last FRESH_MS. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { WriteGate } from '../../model/write-gate.js';
import { sightOf } from './drive.js';
import { Reading, type RealTime } from './freshness.js';
import { lostTo, tooSlow } from './lock-error.js';
import { SETTLE_MS } from './protocol.js';

/** Answers that come too late, one after the other, before a write is given up. */
const MOST_READINGS = 3;

export class LockGate implements WriteGate {
  #reading: Reading | undefined;
  #looking: Promise<void> | undefined;
  #unanswered: Reading | undefined;
  readonly #lost = new AbortController();

  constructor(
    private readonly client: Pick<ProxmoxClient, 'pools'>,
    private readonly pools: readonly string[],
    private readonly token: string,
    private readonly time: RealTime,
  ) {}

  /** Aborted when the lock is seen to be lost; its reason says who holds it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isOpen(): boolean {
    return !this.lost.aborted && this.#reading?.isFresh === true;
  }

  unanswered(): void {
    this.#unanswered = new Reading(this.time);
  }

  /** How long a write of ours may still take effect, in milliseconds. */
  get inDoubtFor(): number {
    return this.#unanswered ? Math.max(0, SETTLE_MS - this.#unanswered.age) : 0;
  }

  async open(): Promise<void> {
    for (let readings = 0; !this.isOpen(); readings += 1) {
      this.lost.throwIfAborted();
      if (readings >= MOST_READINGS) throw tooSlow(this.pools[0] ?? '', this.#reading?.age ?? 0);
      // All writes that wait share one reading.
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
  }

  async #look(): Promise<void> {
    const reading = new Reading(this.time);
    const entries = await this.client.pools();
    for (const pool of this.pools) {
      const { holder } = sightOf(pool, entries);
      if (holder?.token === this.token) continue;
      // For good: the lock may come back by chance, what was done without it does not.
      this.#lost.abort(lostTo(pool, holder));
      this.lost.throwIfAborted();
    }
    this.#reading = reading;
  }
}
