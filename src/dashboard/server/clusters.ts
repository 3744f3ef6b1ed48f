/** The clusters that a server shows: those of the command line, or those that a fleet has now. */
import type { ClusterSource } from './reading.js';
import type { WatchedCluster } from './watched-cluster.js';

export type Sources = readonly ClusterSource[] | (() => Promise<readonly ClusterSource[]>);

/** A list that was read is used for so long. */
const KEPT_MS = 2_000;

export class Clusters {
  readonly #known = new Map<string, WatchedCluster>();
  #listed = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | undefined;

  constructor(
    private readonly sources: Sources,
    private readonly watch: (id: string, source: ClusterSource) => WatchedCluster,
  ) {
    if (typeof sources !== 'function') this.#take(sources);
  }

  /** Clusters that come and go are read when someone asks for them. */
  get onDemand(): boolean {
    return typeof this.sources === 'function';
  }

  get all(): readonly WatchedCluster[] {
    return [...this.#known.values()];
  }

  find(id: string): WatchedCluster | undefined {
    return this.#known.get(id);
  }

  /** Brings the list up to date. */
  async update(): Promise<void> {
    const { sources } = this;
    if (typeof sources !== 'function' || Date.now() - this.#listed < KEPT_MS) return;
    this.#listing ??= sources()
      .then((list) => {
        this.#listed = Date.now();
        this.#take(list);
      })
      .finally(() => {
        this.#listing = undefined;
      });
    await this.#listing;
  }

  async close(reason?: unknown): Promise<void> {
    await Promise.all(this.all.map((cluster) => cluster.close(reason)));
  }

  #take(list: readonly ClusterSource[]): void {
    const ids = new Set<string>();
    for (const [index, source] of list.entries()) {
      const id = source.fleet?.id ?? String(index + 1);
      ids.add(id);
      const known = this.#known.get(id);
      if (known) known.source = source;
      else this.#known.set(id, this.watch(id, source));
    }
    for (const [id, cluster] of this.#known) {
      if (ids.has(id)) continue;
      void cluster.close();
      this.#known.delete(id);
    }
  }
}
