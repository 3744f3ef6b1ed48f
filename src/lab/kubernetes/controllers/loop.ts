import type { LabClock } from '../../clock.js';
import { ApiError } from '../status.js';
import { type Controller, soonest, type World } from './world.js';

/** No one acts on these: heartbeats and notes. */
const IDLE = new Set(['leases.coordination.k8s.io', 'events']);
/** Rounds at one moment after which the controllers are told to wait: two of them disagree. */
const RESTLESS = 200;
const RETRY = 10_000;
/** Each round looks at all machines: with more than this many there is a pause between rounds, of a millisecond per machine. */
const CROWDED = 50;
const LONGEST_PAUSE = 1_000;

/**
 * Runs controllers whenever an object changed that concerns them, and each of them when a moment it named has come. They look
 * at the whole world each time, so nothing is lost when the lab's process was killed in between.
 */
export class ControllerLoop {
  #cancel: (() => void) | undefined;
  #due: number | undefined;
  /** The controllers that a change concerns. */
  readonly #concerned = new Set<Controller>();
  /** A round waits for the API. */
  #busy = false;
  #closed = false;
  /** When each controller wants to look again. */
  readonly #wanted: (number | undefined)[];
  #rounds = 0;
  #roundsAt = 0;
  #ranAt: number | undefined;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly world: World,
    private readonly clock: LabClock,
    private readonly controllers: readonly Controller[],
    /** Whether the control plane runs; without it nothing moves. */
    private readonly active: () => boolean,
  ) {
    this.#wanted = controllers.map(() => undefined);
    this.#unsubscribe = world.objects.subscribe((resource, change) => {
      if (IDLE.has(resource)) return;
      this.#wake((controller) => !change || !controller.concerns || controller.concerns(change));
    });
    for (const controller of controllers) this.#concerned.add(controller);
  }

  /** Something changed: all controllers look. */
  wake(): void {
    this.#wake(() => true);
  }

  #wake(concerned: (controller: Controller) => boolean): void {
    for (const controller of this.controllers) if (concerned(controller)) this.#concerned.add(controller);
    if (this.#concerned.size > 0) this.#schedule(this.clock.now());
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    this.#cancel?.();
  }

  #schedule(wanted: number): void {
    const at = Math.max(wanted, this.#earliest());
    if (this.#due !== undefined && this.#due <= at) return;
    this.#cancel?.();
    this.#due = at;
    this.#cancel = this.clock.schedule(at, () => this.#run());
  }

  /** What follows from a round at the same moment is part of it. */
  #earliest(): number {
    const { size } = this.world.machines;
    if (size <= CROWDED || this.#ranAt === undefined || this.#ranAt === this.clock.now()) return 0;
    return this.#ranAt + Math.min(size, LONGEST_PAUSE);
  }

  #run(): void {
    this.#due = undefined;
    this.#cancel = undefined;
    if (this.#busy || !this.active()) return;
    const now = this.clock.now();
    this.#ranAt = now;
    const round = [...this.controllers.entries()].flatMap(([index, controller]) => {
      const wanted = this.#wanted[index];
      const due = wanted !== undefined && wanted <= now;
      return this.#concerned.has(controller) || due ? [index] : [];
    });
    this.#concerned.clear();
    const { settle } = this.world.objects;
    if (!settle) {
      for (const index of round) this.#reconcile(index, now);
      this.#plan(now);
      return;
    }
    this.#busy = true;
    // No lab time passes while the API works on what the controllers sent.
    this.clock.hold(this.#settledRound(round, now, settle));
  }

  /** One controller after the other: each sees what the API made of the writes before it. */
  async #settledRound(round: readonly number[], now: number, settle: () => Promise<void>): Promise<void> {
    try {
      for (const index of round) {
        this.#reconcile(index, now);
        await settle();
        if (this.#closed) return;
      }
    } catch (error) {
      // A fault of the lab itself is the clock's to report, as where nothing waits.
      this.clock.schedule(now, () => {
        throw error;
      });
    } finally {
      this.#busy = false;
    }
    if (this.#concerned.size > 0) this.#schedule(now);
    this.#plan(now);
  }

  /** When to look again. */
  #plan(now: number): void {
    if (this.#isRestless(now)) {
      // What a change asked for meanwhile waits as well.
      this.#forget();
      this.#schedule(now + 1000);
      return;
    }
    const next = soonest(...this.#wanted);
    if (next !== undefined) this.#schedule(Math.max(next, now));
  }

  /** An object that the API refuses holds up its controller for a while, not the lab. */
  #reconcile(index: number, now: number): void {
    try {
      this.#wanted[index] = this.controllers[index]?.reconcile(this.world);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#wanted[index] = now + RETRY;
    }
  }

  #forget(): void {
    this.#cancel?.();
    this.#due = undefined;
  }

  #isRestless(now: number): boolean {
    this.#rounds = now === this.#roundsAt ? this.#rounds + 1 : 0;
    this.#roundsAt = now;
    return this.#rounds > RESTLESS;
  }
}
