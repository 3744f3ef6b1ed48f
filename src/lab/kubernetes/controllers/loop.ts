import type { LabClock } from '../../clock.js';
import { type Controller, soonest, type World } from './world.js';

/** Nobody acts on these: heartbeats and notes. */
const IDLE = new Set(['leases.coordination.k8s.io', 'events']);
/** Rounds at one moment after which the controllers are told to wait: two of them disagree. */
const RESTLESS = 200;

/**
 * Runs all controllers whenever an object changed or a moment they named has come. They look at the whole world each
 * time, so nothing is lost when the lab's process was killed in between.
 */
export class ControllerLoop {
  #cancel: (() => void) | undefined;
  #due: number | undefined;
  #rounds = 0;
  #roundsAt = 0;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly world: World,
    private readonly clock: LabClock,
    private readonly controllers: readonly Controller[],
    /** Whether the control plane runs; without it nothing moves. */
    private readonly active: () => boolean,
  ) {
    this.#unsubscribe = world.api.objects.subscribe((change) => {
      if (!IDLE.has(change.resource)) this.wake();
    });
  }

  wake(at = this.clock.now()): void {
    if (this.#due !== undefined && this.#due <= at) return;
    this.#cancel?.();
    this.#due = at;
    this.#cancel = this.clock.schedule(at, () => this.#run());
  }

  close(): void {
    this.#unsubscribe();
    this.#cancel?.();
  }

  #run(): void {
    this.#due = undefined;
    this.#cancel = undefined;
    if (!this.active()) return;
    const now = this.clock.now();
    this.#rounds = now === this.#roundsAt ? this.#rounds + 1 : 0;
    this.#roundsAt = now;
    const next = soonest(...this.controllers.map((controller) => controller.reconcile(this.world)));
    const pause = this.#rounds > RESTLESS ? 1000 : 0;
    if (pause > 0) {
      // What a change asked for meanwhile waits as well.
      this.#cancelPending();
      this.wake(now + pause);
    } else if (next !== undefined) this.wake(Math.max(next, now));
  }

  #cancelPending(): void {
    this.#cancel?.();
    this.#due = undefined;
  }
}
