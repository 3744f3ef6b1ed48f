import type { Clock } from '../model/clock.js';
import { onAbort } from '../model/on-abort.js';
import { MomentHeap } from './moments.js';

/**
 * The lab's time. It starts where it stood when the lab was last used, and there are two ways for it to pass:
 * `driven` jumps to the next moment anybody waits for (a command and its lab in one process: no waiting at all),
 * `scaled` follows the wall, `speed` times as fast (a lab that other programs use).
 */
export interface LabClock extends Clock {
  /** Runs `work` at lab time `at`; earlier moments first, equal ones in order of asking. Returns a cancel function. */
  schedule(at: number, work: () => void): () => void;
  /** Work that takes wall time and no lab time (opening a listener): lab time does not run ahead of it. */
  hold(work: Promise<unknown>): void;
  /**
   * For programs that live in wall time: lab time passes at most `most` times as fast as the wall until `end` is called.
   * `speed` is what that comes to.
   */
  limit(most: number): { readonly speed: number; end(): void };
  /** Lab time per wall time, for what clients that live in wall time are given to keep; 1 where lab time waits for its clients. */
  readonly pace: number;
  stop(): void;
}

abstract class MomentQueue {
  protected readonly moments = new MomentHeap();
  #order = 0;

  protected add(at: number, work: () => void, awaited: boolean): () => void {
    const moment = { at, order: this.#order++, work, awaited, cancelled: false };
    this.moments.push(moment);
    this.changed();
    return () => this.moments.cancel(moment);
  }

  protected abstract changed(): void;

  abstract now(): number;

  /** Lab time is never set. */
  elapsed(): number {
    return this.now();
  }

  schedule(at: number, work: () => void): () => void {
    return this.add(Math.max(Math.ceil(at), this.now()), work, false);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      // Whole milliseconds: times of the lab become integers of other APIs.
      const cancel = this.add(
        Math.ceil(this.now() + ms),
        () => {
          ignore?.();
          resolve();
        },
        true,
      );
      const ignore =
        signal &&
        onAbort(signal, () => {
          cancel();
          reject(signal.reason);
        });
    });
  }
}

export class DrivenClock extends MomentQueue implements LabClock {
  readonly pace = 1;
  #now: number;
  #holds = 0;
  #pumping = false;
  #stopped = false;
  readonly #limits = new Set<{ most: number }>();
  /** Wall time at which lab time last moved. */
  #movedAt = performance.now();
  #waiting: NodeJS.Timeout | undefined;

  constructor(start: number) {
    super();
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  hold(work: Promise<unknown>): void {
    this.#holds += 1;
    const release = () => {
      this.#holds -= 1;
      this.changed();
    };
    work.then(release, release);
  }

  limit(most: number) {
    const entry = { most };
    this.#limits.add(entry);
    this.#movedAt = performance.now();
    const end = () => {
      this.#limits.delete(entry);
      this.changed();
    };
    return { speed: most, end };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#waiting);
  }

  protected changed(): void {
    if (this.#pumping || this.#stopped) return;
    this.#pumping = true;
    setImmediate(() => this.#pump());
  }

  /** One moment per turn of the event loop, so that whoever was woken acts before time goes on. */
  #pump(): void {
    this.#pumping = false;
    const next = this.moments.first();
    if (this.#stopped || !next) return;
    const due = next.at <= this.#now;
    if (!due && (this.#holds > 0 || this.moments.awaited === 0)) return;
    const early = this.#tooEarly(next.at);
    if (early > 0) {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => this.changed(), early);
      return;
    }
    this.moments.shift();
    if (!due) this.#movedAt = performance.now();
    this.#now = Math.max(this.#now, next.at);
    // An error goes to whoever runs the lab; time goes on for everybody else.
    try {
      next.work();
    } finally {
      this.changed();
    }
  }

  /** Wall milliseconds that this moment is still to be waited for. */
  #tooEarly(at: number): number {
    const most = Math.min(...[...this.#limits].map((limit) => limit.most));
    if (at <= this.#now || !Number.isFinite(most)) return 0;
    return Math.ceil((at - this.#now) / most - (performance.now() - this.#movedAt));
  }
}

export class ScaledClock extends MomentQueue implements LabClock {
  readonly #labStart: number;
  readonly #wallStart: number;
  readonly pace: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(start: number, speed: number) {
    super();
    this.#labStart = start;
    this.#wallStart = performance.now();
    this.pace = speed;
  }

  now(): number {
    return Math.floor(this.#labStart + (performance.now() - this.#wallStart) * this.pace);
  }

  /** The wall's time is this clock's own: there is nothing to hold back. */
  hold(): void {}

  limit() {
    return { speed: this.pace, end: () => {} };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  protected changed(): void {
    clearTimeout(this.#timer);
    const next = this.moments.first();
    if (this.#stopped || !next) return;
    // setTimeout takes 31 bits; a later moment is asked for again.
    const wait = Math.min((next.at - this.now()) / this.pace, 2 ** 30);
    this.#timer = setTimeout(() => this.#run(), Math.max(0, wait));
  }

  #run(): void {
    try {
      while (!this.#stopped && (this.moments.first()?.at ?? Number.POSITIVE_INFINITY) <= this.now())
        this.moments.shift()?.work();
    } finally {
      this.changed();
    }
  }
}
