/**
 * How many requests are on their way at a time, each on a connection of its own. A handshake takes longer than an answer
 * from near by, so that a few connections carry all there is to ask; where an answer takes its time, there are as many as
 * allowed from then on.
 */
import { Semaphore } from './limits.js';

const FEW = 4;
const SLOW_MS = 15;

export class Lanes {
  readonly #room: Semaphore;
  /** More that may be opened. */
  #closed: number;

  constructor(limit: number) {
    const few = Math.min(FEW, limit);
    this.#room = new Semaphore(few);
    this.#closed = limit - few;
  }

  /** Resolves to the function to be called once there is an answer. */
  async enter(): Promise<() => void> {
    const release = await this.#room.acquire();
    if (this.#closed === 0) return release;
    let afterRead: NodeJS.Immediate | undefined;
    // What came while this process was busy is read first: only then is the answer late.
    const timer = setTimeout(() => {
      afterRead = setImmediate(() => this.#open());
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
      clearImmediate(afterRead);
      release();
    };
  }

  #open(): void {
    this.#room.widen(this.#closed);
    this.#closed = 0;
  }
}
