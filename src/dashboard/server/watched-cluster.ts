/** One cluster that the page shows: read again and again while someone looks, and its journals followed. */
import { OxherdError } from '../../model/error.js';
import { readConfigFile } from '../../session/index.js';
import type { ClusterSummary, ErrorView, Need, StreamEvent } from '../api.js';
import { errorView, JsonText } from './answer.js';
import type { ClusterSource, Reading, readCluster } from './reading.js';
import { RunJournals } from './run-journals.js';
import { ViewParts } from './view-parts.js';
import { clusterView, summaryOf } from './views/cluster-view.js';

/** A run whose last event is older than this and whose lock is free has ended, whatever its journal says. */
const QUIET_MS = 30_000;

export class WatchedCluster {
  #reading: Reading | undefined;
  #parts: ViewParts | undefined;
  #view: JsonText | undefined;
  #error: ErrorView | undefined;
  #journals: RunJournals | undefined;
  #refreshing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** When the journals grew last, by run. */
  readonly #heard = new Map<string, number>();
  /** Runs that this server started and that go on. */
  readonly ownRuns = new Set<string>();
  readonly #working = new Set<Promise<unknown>>();
  /** How long a rehearsal of the same plan took, by run. */
  readonly predictions = new Map<string, number>();
  readonly #ending = new AbortController();

  constructor(
    readonly id: string,
    public source: ClusterSource,
    private readonly tell: (event: StreamEvent, change?: string) => void,
    /** As JSON without secrets. */
    private readonly render: (part: unknown) => string,
    private readonly read: typeof readCluster,
  ) {}

  get reading(): Reading | undefined {
    return this.#reading;
  }

  get journals(): RunJournals | undefined {
    return this.#journals;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get name(): string {
    if (this.source.fleet) return this.source.fleet.name;
    const { config } = this.#reading ?? this.#config() ?? {};
    if (!config) return this.source.configPath;
    const { name, env } = config.cluster;
    return env === '' ? name : `${name} (${env})`;
  }

  summary(): ClusterSummary {
    const { configPath, target, fleet } = this.source;
    const reported = fleet && { reported: fleet.reported };
    const told = fleet?.needs.map(({ what, level }) => ({ what, level, page: 'plan' as const })) ?? [];
    const identity = { id: this.id, name: this.name, config: configPath, lab: target.kind === 'lab' };
    const last = this.#journals?.summaries()[0];
    const lastRun = last && { ...last, active: this.isActive(last.runId) };
    const error = this.#error && { error: this.#error };
    if (!this.#reading)
      return {
        ...identity,
        state: this.#error ? 'failed' : fleet && !this.#refreshing ? 'listed' : 'reading',
        ...reported,
        ...error,
        needs: this.#error ? [{ what: this.#error.message, page: 'map', level: 'failed' }] : told,
      };
    const journals = (this.#journals?.problems ?? []).map(
      ({ message }): Need => ({ what: message, page: 'history', level: 'note' }),
    );
    const read = summaryOf(identity, this.#reading, lastRun);
    const known = { ...read, ...reported, needs: [...told, ...read.needs, ...journals] };
    return this.#error ? { ...known, state: 'stale', ...error } : known;
  }

  /** Throws where it could not be read yet. */
  view(): JsonText {
    if (this.#view) return this.#view;
    const { code, message, advice } = this.#error ?? {
      code: 'ui.reading',
      message: `${this.name} is being read`,
      advice: 'it is shown as soon as it answers',
    };
    throw new OxherdError(code, message, { ...(advice !== undefined && { advice }) });
  }

  isActive(runId: string): boolean {
    if (this.ownRuns.has(runId) || this.#reading?.lock?.runId === runId) return true;
    const isOpen = this.#journals?.summaries().find((run) => run.runId === runId)?.outcome === 'unfinished';
    return isOpen && Date.now() - (this.#heard.get(runId) ?? 0) < QUIET_MS;
  }

  /** Several who ask at the same time get one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** A reading that begins after this call: one that is under way may have seen what was before. */
  readAgain(): Promise<void> {
    this.#next ??= Promise.resolve(this.#refreshing).then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  /** What runs did since the last time, told to everyone who looks. */
  follow(): boolean {
    const config = this.#reading?.config ?? this.#config()?.config;
    if (!config) return false;
    const isFirst = this.#journals === undefined;
    this.#journals ??= new RunJournals(this.source, config.cluster);
    const grown = this.#journals.follow();
    if (isFirst) return false;
    for (const { runId, events } of grown) {
      this.#heard.set(runId, Date.now());
      this.tell({ type: 'run', cluster: this.id, runId, events });
    }
    return grown.some(({ events }) =>
      events.some(({ type }) => type === 'run-ended' || type === 'node-away' || type === 'node-back'),
    );
  }

  /** Work that must come to its end before the server may. */
  keep<T>(work: Promise<T>): Promise<T> {
    const kept = work.finally(() => this.#working.delete(kept));
    this.#working.add(kept);
    return kept;
  }

  /** Runs come to a safe end first, as at Ctrl-C. */
  async close(reason: unknown = new Error('the dashboard was closed')): Promise<void> {
    this.#ending.abort(reason);
    await Promise.allSettled(this.#working);
  }

  async #read(): Promise<void> {
    try {
      this.follow();
      const reading = await this.read(this.source, this.#ending.signal);
      this.#reading = reading;
      this.#error = undefined;
      this.#show(clusterView(reading, this.summary(), this.source.command));
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#error = errorView(error);
      this.tell({ type: 'changed', cluster: this.id, summary: this.summary() });
    }
  }

  #show(view: ReturnType<typeof clusterView>): void {
    const before = this.#parts;
    const parts = new ViewParts(view, this.render);
    this.#parts = parts;
    this.#view = new JsonText(() => parts.text());
    const event = { type: 'changed', cluster: this.id, summary: this.summary() } as const;
    this.tell(event, before && parts.since(before));
  }

  #config(): ReturnType<typeof readConfigFile> | undefined {
    if (this.source.fleet) return undefined;
    try {
      return readConfigFile(this.source.configPath, this.source.cwd);
    } catch {
      return undefined;
    }
  }
}
