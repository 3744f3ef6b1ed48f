/** What clusters of one site share in this replica: how much may be asked, and what VMs of others were seen to name. */
import type { Clock } from '../../model/clock.js';
import type { Traffic } from '../../session/context.js';
import type { Named, SiteSpec } from '../api/objects.js';
import { RequestPace } from './request-pace.js';
import { RequestUse } from './request-use.js';

type OutsiderMemory = NonNullable<Traffic['outsiders']>;
type Namings = Parameters<OutsiderMemory['keep']>[1];

/** No more than once in so long is a VM of others read for plans; a run reads it itself. */
const OUTSIDERS_MS = 10 * 60_000;
/** A look has time: few connections cost less than it takes longer. */
const PARALLEL = 2;

interface Entry {
  readonly pace: RequestPace;
  readonly outsiders: OutsiderMemory;
  readonly use: RequestUse;
  limit: number;
}

export class SiteBook {
  readonly #entries = new Map<string, Entry>();
  #replicas = 1;
  /** What other replicas said they ask: site → requests in a minute. */
  #others: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly time: Clock,
    private readonly signal: AbortSignal,
    /** Told of each request. */
    private readonly onRequest: (site: string) => void = () => {},
  ) {}

  /** Site → requests of this replica in the last minute. */
  get ownUse(): Readonly<Record<string, number>> {
    const used = [...this.#entries].map(([name, { use }]) => [name, use.perMinute] as const);
    return Object.fromEntries(used.filter(([, count]) => count > 0));
  }

  heard(others: ReadonlyMap<string, number>): void {
    this.#others = others;
  }

  /** Requests of all replicas in the last minute. */
  useOf(site: string): number {
    return (this.#entries.get(site)?.use.perMinute ?? 0) + (this.#others.get(site) ?? 0);
  }

  /** The limit of a site is shared by all replicas. */
  shareAmong(replicas: number): void {
    this.#replicas = Math.max(1, replicas);
    for (const entry of this.#entries.values()) entry.pace.set(this.#share(entry.limit));
  }

  /** Of sessions that look, or of one that writes: that one sees everything itself. */
  trafficOf({ name, spec }: Pick<Named<SiteSpec>, 'name' | 'spec'>, writes: boolean): Traffic {
    const { pace, outsiders, use } = this.#entry(name, spec.limits.requestsPerSecond);
    const turn = {
      pace: async () => {
        await pace.turn(this.signal);
        use.count();
        this.onRequest(name);
      },
    };
    return writes ? turn : { ...turn, parallel: PARALLEL, outsiders };
  }

  #entry(name: string, limit: number): Entry {
    const entry = this.#entries.get(name) ?? {
      pace: new RequestPace(this.time, this.#share(limit)),
      outsiders: outsiderMemory(this.time),
      use: new RequestUse(this.time),
      limit,
    };
    this.#entries.set(name, entry);
    if (entry.limit !== limit) entry.pace.set(this.#share(limit));
    entry.limit = limit;
    return entry;
  }

  #share(limit: number): number {
    return limit / this.#replicas;
  }
}

function outsiderMemory(time: Pick<Clock, 'elapsed'>): OutsiderMemory {
  const seen = new Map<string, { readonly at: number; readonly namings: Namings }>();
  let pruned = time.elapsed();
  const isOld = (at: number) => time.elapsed() - at > OUTSIDERS_MS;
  return {
    recall(guest) {
      const known = seen.get(guest);
      return known === undefined || isOld(known.at) ? undefined : known.namings;
    },
    keep(guest, namings) {
      seen.set(guest, { at: time.elapsed(), namings });
      if (!isOld(pruned)) return;
      pruned = time.elapsed();
      for (const [key, { at }] of seen) if (isOld(at)) seen.delete(key);
    },
  };
}
