/** Journals of one cluster, followed while they grow: a run in another terminal is seen as it happens. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../model/events.js';
import { runsFolder } from '../../secrets/locate.js';
import { filesOf, type SessionContext } from '../../session/context.js';
import { journalNames } from '../../session/journal/journal.js';
import { type Journal, parseJournal } from '../../session/journal/journal-file.js';
import { type RunSummary, summarise } from '../../session/journal/run-summary.js';

/** Newest ones: what the page lists. */
const MOST = 100;

interface Known {
  readonly size: number;
  readonly journal: Journal;
  readonly summary: RunSummary;
}

export class RunJournals {
  readonly #known = new Map<string, Known>();
  readonly #folder: string;

  constructor(
    place: Pick<SessionContext, 'cwd' | 'target'>,
    private readonly cluster: { readonly name: string; readonly env: string },
  ) {
    this.#folder = runsFolder(filesOf(place), cluster);
  }

  /** Reads what has grown since the last time; the answer is what is new, run by run. */
  follow(): { readonly runId: string; readonly events: readonly RunEvent[] }[] {
    const names = journalNames(this.#folder).sort().reverse().slice(0, MOST);
    for (const name of [...this.#known.keys()]) if (!names.includes(name)) this.#known.delete(name);
    return names.flatMap((name) => {
      const before = this.#known.get(name);
      const path = join(this.#folder, name);
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (before?.size === size) return [];
      const journal = parseJournal(readFileSync(path, 'utf8'));
      // A folder of real clusters holds the runs of all of them.
      if (journal?.head.cluster !== this.cluster.name) return [];
      this.#known.set(name, { size, journal, summary: summarise(journal) });
      const events = journal.events.slice(before?.journal.events.length ?? 0);
      return events.length > 0 ? [{ runId: journal.head.runId, events }] : [];
    });
  }

  /** Newest first. */
  summaries(): RunSummary[] {
    return [...this.#known].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, { summary }]) => summary);
  }

  find(runId: string): Journal | undefined {
    return [...this.#known.values()].find(({ journal }) => journal.head.runId === runId)?.journal;
  }
}
