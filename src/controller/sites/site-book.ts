/** What clusters of one site share in this replica: how much may be asked, and what VMs of others were seen to name. */
import type { Clock } from '../../model/clock.js';
import type { Traffic } from '../../session/context.js';
import type { Named, SiteSpec } from '../api/objects.js';
import { RequestPace } from './request-pace.js';
import { RequestUse } from './request-use.js';

type OutsiderMemory = NonNullable<Traffic['outsiders']>;
type Namings = Awaited<ReturnType<OutsiderMemory['read']>>;

/** No more than once in so long is a VM of others read for plans; a run reads it itself. Up to a half less, so that not all are due at once. */
const OUTSIDERS_MS = 30 * 60_000;
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
  const seen = new Map<string, { readonly until: number; readonly namings: Namings }>();
  const asked = new Map<string, Promise<Namings>>();
  let pruned = time.elapsed();
  const prune = () => {
    if (time.elapsed() - pruned < OUTSIDERS_MS) return;
    pruned = time.elapsed();
    for (const [guest, { until }] of seen) if (until <= pruned) seen.delete(guest);
  };
  const fresh = async (guest: string, ask: () => Promise<Namings>) => {
    const asking = ask();
    asked.set(guest, asking);
    try {
      const namings = await asking;
      seen.set(guest, { until: time.elapsed() + OUTSIDERS_MS * (1 - Math.random() / 2), namings });
      return namings;
    } finally {
      asked.delete(guest);
      prune();
    }
  };
  const read: OutsiderMemory['read'] = async (guest, ask) => {
    const known = seen.get(guest);
    if (known && time.elapsed() < known.until) return known.namings;
    const asking = asked.get(guest);
    if (!asking) return fresh(guest, ask);
    // Whoever asks may be stopped, and those that wait for it not.
    return (await asking.catch(() => undefined)) ?? read(guest, ask);
  };
  return { read };
}
