/** A fault that is armed at one step of a case, and how often it struck. */
import type { FaultName } from '../../../lab/faults.js';
import type { Twin } from '../../../lab/twin/start-twin.js';
import { TWIN_ANSWER_MS } from '../open-twin.js';
import type { Occasion } from './occasions.js';

export class ArmedFault {
  #strikes = 0;
  #armed = false;
  readonly #name: FaultName;

  constructor(
    private readonly twin: Twin,
    private readonly occasion: Pick<Occasion, 'fault' | 'subject' | 'kind'>,
  ) {
    this.#name = occasion.fault;
    const { faults } = twin.lab.core;
    const { strikes, holds } = faults;
    faults.strikes = (name, ...subjects) => this.#noted(name, strikes(name, ...subjects));
    faults.holds = (name, ...subjects) => this.#noted(name, holds(name, ...subjects));
  }

  get armed(): boolean {
    return this.#armed;
  }

  /** How often something that could fail did. */
  get strikes(): number {
    return this.#strikes;
  }

  arm(): void {
    const { fault, subject, kind } = this.occasion;
    this.#armed = true;
    this.twin.lab.core.faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
  }

  disarm(): void {
    this.twin.lab.core.faults.clear(this.#name);
  }

  #noted(name: FaultName, strikes: boolean): boolean {
    if (!strikes || name !== this.#name || !this.#armed) return strikes;
    this.#strikes += 1;
    // Whoever waits for this answer waits by the wall: lab time would run far ahead of it, and cost a processor meanwhile.
    if (name === 'api-timeout')
      this.twin.lab.clock.hold(new Promise((resolve) => setTimeout(resolve, TWIN_ANSWER_MS)));
    return strikes;
  }
}
