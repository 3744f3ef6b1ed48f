/**
 * Few looks at a time: each takes memory, and more of them at once make none of them quicker. Few of one site, so that those that
 * wait for its limit of requests keep no place from others.
 */
import { KeyedLimit, Semaphore } from '../../clients/proxmox/transport/limits.js';

const AT_A_TIME = 5;
const OF_A_SITE = 2;

export class LookGate {
  readonly #all = new Semaphore(AT_A_TIME);
  readonly #sites = new KeyedLimit(OF_A_SITE);

  /** Resolves to the function that lets the next one in. */
  async enter(site: string): Promise<() => void> {
    const leaveSite = await this.#sites.semaphore(site).acquire();
    const leaveAll = await this.#all.acquire();
    return () => {
      leaveAll();
      leaveSite();
    };
  }
}
