/**
 * A command whose process is suspended at its n-th request: lab time passes, machines and Proxmox continue, and the process
 * neither sends nor reads anything until it is resumed. Two ways:
 *
 * - `stopped` (Ctrl-Z, a stopped container): answers that came meanwhile are read afterwards.
 * - `asleep` (a closed laptop): connections are dead afterwards, and the monotonic clock and timers have stood still.
 */
import type { Lab } from '../../src/lab/index.js';
import type { Clock } from '../../src/model/clock.js';
import { wallClock } from '../../src/session/connect/wall-clock.js';
import type { Place } from '../../src/session/context.js';
import { heardRequests, type LabRequest } from './lab-requests.js';
import { Relays } from './relay.js';

export interface Suspension {
  /** After this request has arrived, before its answer is read: counted from 0, or the first that holds this text. */
  readonly at: number | string;
  readonly ms: number;
  readonly way: 'stopped' | 'asleep';
}

/** More than a herd of six has addresses and ports. */
const RELAYS = 64;

export class SuspendedProcess {
  /** In order; a question that was asked before, with nothing written since, is not there again. */
  readonly requests: LabRequest[] = [];
  /** Arrived after the process was resumed, and changed something. */
  readonly writesAfter: string[] = [];
  state: 'before' | 'suspended' | 'resumed' = 'before';
  readonly #asked = new Set<string>();
  #resumed: Promise<void> | undefined;
  #stoodStillMs = 0;
  /** By which the wall's clock is ahead of the test's. */
  #aheadMs = 0;

  private constructor(
    private readonly lab: Lab,
    private readonly relays: Relays,
    private readonly plan: Suspension | undefined,
    /** What happens elsewhere meanwhile. */
    private readonly meanwhile: () => Promise<void>,
  ) {}

  /** Runs `work` with a place that is suspended at one of its requests; without a plan it only counts them. */
  static async run<T>(
    lab: Lab,
    plan: Suspension | undefined,
    work: (process: SuspendedProcess) => Promise<T>,
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<T> {
    const process = new SuspendedProcess(lab, await Relays.open(RELAYS), plan, meanwhile);
    const deaf = heardRequests(lab, (request) => process.#hear(request));
    const { now, elapsed } = wallClock;
    // The lock's readings age in real time.
    wallClock.now = () => now() + process.#aheadMs;
    wallClock.elapsed = () => elapsed() + process.#aheadMs - process.#stoodStillMs;
    try {
      return await work(process);
    } finally {
      await process.#resumed;
      Object.assign(wallClock, { now, elapsed });
      deaf();
      process.relays.close();
    }
  }

  readonly through = (place: Place): Place => {
    const { dial } = place;
    return {
      ...place,
      connection: {
        ...place.connection,
        endpoints: place.connection.endpoints.map((endpoint) => {
          const { hostname, port } = new URL(endpoint);
          return `https://127.0.0.1:${this.relays.to(hostname, Number(port))}`;
        }),
      },
      clock: this.#clock(place.clock),
      ...(dial && {
        dial: (ip, port) => {
          const found = dial(ip, port);
          return found && { host: '127.0.0.1', port: this.relays.to(found.host, found.port) };
        },
      }),
    };
  };

  #hear(request: LabRequest): void {
    const { text, reads } = request;
    if (this.state === 'suspended') return;
    if (this.state === 'resumed' && !reads) this.writesAfter.push(text);
    if (reads && this.#asked.has(text)) return;
    if (reads) this.#asked.add(text);
    else this.#asked.clear();
    this.requests.push(request);
    if (this.plan && this.state === 'before' && this.#isReached(this.plan, text)) this.#suspend(this.plan);
  }

  #isReached({ at }: Suspension, text: string): boolean {
    return typeof at === 'string' ? text.includes(at) : this.requests.length > at;
  }

  #suspend({ ms, way }: Suspension): void {
    this.state = 'suspended';
    const asleep = way === 'asleep';
    const { clock } = this.lab;
    const slept = Promise.all([clock.sleep(ms), this.meanwhile()]).then(() => {
      this.#aheadMs += ms;
      if (asleep) this.#stoodStillMs += ms;
      this.state = 'resumed';
    });
    this.#resumed = slept;
    this.relays.hold(slept, asleep);
  }

  #clock(clock: Clock): Clock {
    const elapsed = () => clock.elapsed() - this.#stoodStillMs;
    return {
      now: () => clock.now(),
      elapsed,
      sleep: async (ms, signal) => {
        for (let end = elapsed() + ms; elapsed() < end; ) {
          await clock.sleep(end - elapsed(), signal);
          await this.#resumed;
        }
      },
    };
  }
}
