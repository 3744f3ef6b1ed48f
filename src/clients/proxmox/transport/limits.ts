/** Lets at most `limit` holders in at a time; the others wait in order. */
export class Semaphore {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`a limit must be 1 or more, not ${limit}`);
    this.#free = limit;
  }

  /** From now on so many more at a time. */
  widen(by: number): void {
    for (let count = 0; count < by; count += 1) this.#leave();
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves to the function that lets the next one in; calling it twice does nothing. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#leave();
    };
  }

  #leave(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** One semaphore per key, made when it is first asked for. */
export class KeyedLimit {
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(readonly limit: number) {}

  semaphore(key: string): Semaphore {
    let semaphore = this.#semaphores.get(key);
    if (!semaphore) {
      semaphore = new Semaphore(this.limit);
      this.#semaphores.set(key, semaphore);
    }
    return semaphore;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.semaphore(key).acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** All keys, in one global order: two who want the same keys cannot block each other. */
  async acquireAll(keys: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    for (const key of [...new Set(keys)].sort()) releases.push(await this.semaphore(key).acquire());
    return () => {
      for (const release of releases) release();
    };
  }
}
