/** Counts what clients do; tests read it. */
export interface RequestCounts {
  /** Requests that arrived, answered or not. */
  readonly total: number;
  readonly connections: number;
  /** By `METHOD /path`, as it was sent. */
  readonly byPath: ReadonlyMap<string, number>;
  readonly byStatus: ReadonlyMap<number, number>;
}

export class RequestRecorder {
  #total = 0;
  #connections = 0;
  readonly #byPath = new Map<string, number>();
  readonly #byStatus = new Map<number, number>();

  connected(): void {
    this.#connections += 1;
  }

  received(method: string, path: string): void {
    this.#total += 1;
    const key = `${method} ${path}`;
    this.#byPath.set(key, (this.#byPath.get(key) ?? 0) + 1);
  }

  answered(status: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  counts(): RequestCounts {
    return {
      total: this.#total,
      connections: this.#connections,
      byPath: new Map(this.#byPath),
      byStatus: new Map(this.#byStatus),
    };
  }
}
