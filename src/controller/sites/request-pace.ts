/** So many requests a second and no more, in whichever second they are counted. */
import type { Clock } from '../../model/clock.js';

/** What may leave at once; the rest of the limit comes evenly. */
const AT_ONCE = 0.2;

export class RequestPace {
  /** When the requests that were let through so far would have left at the even rate. */
  #ahead = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly time: Pick<Clock, 'elapsed' | 'sleep'>,
    private perSecond: number,
  ) {}

  /** Requests that wait go by the old one. */
  set(perSecond: number): void {
    this.perSecond = perSecond;
  }

  /** In the order in which they ask. */
  async turn(signal?: AbortSignal): Promise<void> {
    const now = this.time.elapsed();
    const step = 1_000 / (this.perSecond * (1 - AT_ONCE));
    const credit = Math.max(0, Math.floor(this.perSecond * AT_ONCE) - 1) * step;
    this.#ahead = Math.max(this.#ahead, now - step) + step;
    const wait = this.#ahead - credit - now;
    if (wait > 0) await this.time.sleep(wait, signal);
  }
}
