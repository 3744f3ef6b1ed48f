/** Journals of one cluster, followed while they grow: a run in another terminal is seen as it happens. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import { runsFolder } from '../../secrets/locate.js';
import { filesOf, type SessionContext } from '../../session/context.js';
import { journalNames, readJournal } from '../../session/journal/journal.js';
import type { Journal } from '../../session/journal/journal-file.js';
import { type RunSummary, summarise } from '../../session/journal/run-summary.js';

/** Newest ones: what the page lists. */
const MOST = 100;

interface Known {
  /** The same while nothing about the file has changed. */
  readonly stamp: string;
  readonly problems: readonly OxherdError[];
  /** Absent: it is none, or one of another cluster. */
  readonly run?: { readonly journal: Journal; readonly summary: RunSummary };
}

export class RunJournals {
  readonly #known = new Map<string, Known>();
  readonly #folder: string;
  #problems: readonly OxherdError[] = [];

  constructor(
    place: Pick<SessionContext, 'cwd' | 'target'>,
    private readonly cluster: { readonly name: string; readonly env: string },
  ) {
    this.#folder = runsFolder(filesOf(place), cluster);
  }

  /** Reads what has grown since the last time; the answer is what is new, run by run. Never throws: see `problems`. */
  follow(): { readonly runId: string; readonly events: readonly RunEvent[] }[] {
    const inFolder: OxherdError[] = [];
    const names = journalNames(this.#folder, (problem) => inFolder.push(problem))
      .sort()
      .reverse()
      .slice(0, MOST);
    for (const name of [...this.#known.keys()]) if (!names.includes(name)) this.#known.delete(name);
    const grown = names.flatMap((name) => this.#read(name));
    this.#problems = [...inFolder, ...[...this.#known.values()].flatMap(({ problems }) => problems)];
    return grown;
  }

  #read(name: string): { readonly runId: string; readonly events: readonly RunEvent[] }[] {
    const before = this.#known.get(name);
    const path = join(this.#folder, name);
    const stamp = stampOf(path);
    if (stamp !== undefined && before?.stamp === stamp) return [];
    const problems: OxherdError[] = [];
    const journal = readJournal(path, (problem) => problems.push(problem));
    // A folder of real clusters holds the runs of all of them.
    const run = journal?.head.cluster === this.cluster.name && { journal, summary: summarise(journal) };
    this.#known.set(name, { stamp: stamp ?? '', problems, ...(run && { run }) });
    if (!run) return [];
    const events = run.journal.events.slice(before?.run?.journal.events.length ?? 0);
    return events.length > 0 ? [{ runId: run.summary.runId, events }] : [];
  }

  /** Why journals could not be read the last time. */
  get problems(): readonly OxherdError[] {
    return this.#problems;
  }

  /** Newest first. */
  summaries(): RunSummary[] {
    return [...this.#known].sort(([a], [b]) => (a < b ? 1 : -1)).flatMap(([, { run }]) => run?.summary ?? []);
  }

  find(runId: string): Journal | undefined {
    return [...this.#known.values()].find(({ run }) => run?.summary.runId === runId)?.run?.journal;
  }
}

/** `undefined`: unknown, so reading it says why. */
function stampOf(path: string): string | undefined {
  try {
    const { ino, size, ctimeMs } = statSync(path);
    return `${ino} ${size} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}
