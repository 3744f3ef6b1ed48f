import type { Clock } from '../../model/clock.js';
import { FRESH_MS } from './protocol.js';

/** Real time: a lab's clock says nothing about how old an answer is. */
export type RealTime = Pick<Clock, 'now' | 'elapsed'>;

/**
 * How old a reading is, by the clock that shows more: the monotonic one stands still while a laptop sleeps, the wall's
 * can be set back.
 */
export class Reading {
  readonly #wall: number;
  readonly #monotonic: number;

  /** Made before the request is sent: the answer is no older than this. */
  constructor(private readonly time: RealTime) {
    this.#wall = time.now();
    this.#monotonic = time.elapsed();
  }

  get age(): number {
    return Math.max(this.time.elapsed() - this.#monotonic, this.time.now() - this.#wall);
  }

  get isFresh(): boolean {
    return this.age <= FRESH_MS;
  }
}
