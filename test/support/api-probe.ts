/** Asks an API server whether it is ready, as a load balancer or `kubectl` would: over HTTPS, on a connection it keeps. */
import { Agent, get } from 'node:https';
import type { Lab } from '../../src/lab/index.js';

const API_PORT = 6443;
/** Of wall time: an answer takes a millisecond. */
const TIMEOUT_MS = 2_000;

export class ApiProbe {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

  constructor(
    private readonly lab: Lab,
    private readonly ip: string,
  ) {}

  /** A connection that was cut is made anew once, as every client does. */
  async answers(): Promise<boolean> {
    return (await this.#ask()) || (await this.#ask());
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(): Promise<boolean> {
    const place = this.lab.dial(this.ip, API_PORT);
    if (!place) return Promise.resolve(false);
    return new Promise((resolve) => {
      const request = get(
        { ...place, path: '/readyz', agent: this.#agent, timeout: TIMEOUT_MS },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode === 200));
          response.once('error', () => resolve(false));
        },
      );
      request.once('timeout', () => request.destroy());
      request.once('error', () => resolve(false));
      request.once('close', () => resolve(false));
    });
  }
}
