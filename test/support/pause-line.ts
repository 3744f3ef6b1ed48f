/**
 * The line of a run whose process is suspended (Ctrl-Z, a closed laptop) at its n-th call: lab time passes, machines and
 * Proxmox continue, and the process neither sends nor reads anything until it is resumed.
 */
import type { ProxmoxClient, ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { readsOf } from '../../src/clients/proxmox/reads-and-writes.js';
import type { Clock } from '../../src/model/clock.js';
import type { Line } from './cut-line.js';

/** They send nothing, or what they send are calls of their own. */
const NO_REQUESTS = new Set(['behind', 'close', 'runTask', 'trust', 'waitTask']);

export class PauseLine implements Line {
  calls = 0;
  isPaused = false;
  readonly signal = new AbortController().signal;
  readonly #asked = new Set<string>();
  #suspended: Promise<void> | undefined;

  /** Lets `calls` calls pass before it is suspended. `time` is the lab's. */
  constructor(
    private readonly limit: number,
    private readonly ms: number,
    private readonly time: Clock,
  ) {}

  request(): void {}

  async pass<T>(question: string | undefined, call: () => Promise<T>): Promise<T> {
    if (this.#isCounted(question) && this.calls > this.limit && !this.isPaused) {
      this.isPaused = true;
      this.#suspended = this.time.sleep(this.ms);
    }
    await this.#suspended;
    try {
      return await call();
    } finally {
      // An answer that comes meanwhile is read after it.
      await this.#suspended;
    }
  }

  readonly process = {
    clock: (clock: Clock): Clock => ({
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        await this.#suspended;
      },
    }),
    proxmox: (client: ProxmoxConnection): ProxmoxConnection => ({
      ...this.#through(client),
      behind: (gate) => this.#through(client.behind(gate)),
    }),
  };

  #through(client: ProxmoxClient): ProxmoxClient {
    const reads = new Set(Object.keys(readsOf(client)));
    return new Proxy(client, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        const name = String(key);
        if (typeof value !== 'function' || NO_REQUESTS.has(name)) return value;
        return (...args: unknown[]) =>
          this.pass(reads.has(name) ? `${name} ${JSON.stringify(args)}` : undefined, async () =>
            Reflect.apply(value, target, args),
          );
      },
    });
  }

  /** As with a cut: a question that was asked before, with nothing written since, is not counted again. */
  #isCounted(question: string | undefined): boolean {
    if (question !== undefined && this.#asked.has(question)) return false;
    if (question === undefined) this.#asked.clear();
    else this.#asked.add(question);
    this.calls += 1;
    return true;
  }
}
