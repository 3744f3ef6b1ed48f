import type { Clock } from '../../../model/clock.js';
import type { Transport } from './transport.js';

/** An endpoint that could not be connected to is asked last for this long. */
const AVOID_MS = 15_000;

/** The endpoints in the order given; those that failed lately come last. */
export class Endpoints {
  readonly #avoidedUntil = new Map<Transport, number>();

  constructor(
    readonly transports: readonly Transport[],
    readonly clock: Clock,
  ) {
    if (transports.length === 0) throw new RangeError('at least one Proxmox endpoint is needed');
  }

  get size(): number {
    return this.transports.length;
  }

  pick(tried: ReadonlySet<Transport>): Transport {
    const now = this.clock.elapsed();
    const until = (transport: Transport) => {
      const time = this.#avoidedUntil.get(transport) ?? 0;
      return time > now ? time : 0;
    };
    const untried = this.transports.filter((transport) => !tried.has(transport));
    const choices = untried.length > 0 ? untried : this.transports;
    return choices.reduce((best, transport) => (until(transport) < until(best) ? transport : best));
  }

  avoid(transport: Transport): void {
    this.#avoidedUntil.set(transport, this.clock.elapsed() + AVOID_MS);
  }

  answered(transport: Transport): void {
    this.#avoidedUntil.delete(transport);
  }

  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
  }
}
