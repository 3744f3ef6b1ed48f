/** Keeps what happens during a run, each event on disk before the next one. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import { runsFolder } from '../../secrets/locate.js';
import { MAX_FILE_BYTES, readTextLimited } from '../../secrets/read-file.js';
import { filesOf, type SessionContext } from '../context.js';
import {
  type Journal,
  type JournalHead,
  journalLine,
  type Prediction,
  parseJournal,
} from './journal-file.js';

interface JournalWriter {
  readonly emit: (event: RunEvent) => void;
  close(): void;
}

type RunFacts = Pick<JournalHead, 'runId' | 'command'> & {
  readonly cluster: { readonly name: string; readonly env: string };
  readonly prediction?: Prediction;
};

const RUNS_KEPT = 100;

/** A journal that cannot be written is said once and stops nothing: the cluster matters more than its diary. */
export function openJournal(
  context: Pick<SessionContext, 'cwd' | 'target' | 'tell'>,
  facts: RunFacts,
  now: number,
  keep = RUNS_KEPT,
): JournalWriter {
  const startedAt = new Date(now).toISOString();
  const { prediction, ...run } = facts;
  const files = filesOf(context);
  const folder = runsFolder(files, facts.cluster);
  let file: number | undefined;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      close();
      const message = `the journal of this run cannot be kept in ${folder}: ${OxherdError.from(error).message}`;
      context.tell({ kind: 'note', message });
    }
  };
  const write = (line: string): void => {
    if (file !== undefined) writeSync(file, line);
  };
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = `${startedAt.replaceAll(/[-:]|\.\d+/g, '')}-${facts.runId}.jsonl`;
    file = openSync(join(folder, name), 'ax', 0o600);
    write(
      journalLine({
        type: 'journal',
        format: 1,
        ...run,
        cluster: facts.cluster.name,
        startedAt,
        lab: files.lab,
      }),
    );
    if (prediction) write(journalLine(prediction));
    for (const old of journalNames(folder).sort().reverse().slice(Math.max(1, keep)))
      rmSync(join(folder, old), { force: true });
  });
  return { emit: (event) => attempt(() => write(journalLine(event))), close };
}

/** All runs, newest first; with `lab` those of the lab alone. */
export function readJournals(cwd: string, lab: boolean): Journal[] {
  return journalFolders(cwd, lab)
    .flatMap((folder) => journalNames(folder).map((name) => ({ name, path: join(folder, name) })))
    .sort((a, b) => (a.name < b.name ? 1 : -1))
    .flatMap(({ path }) => parseJournal(readTextLimited(path, MAX_FILE_BYTES)) ?? []);
}

/** Where journals are, and what is kept beside them. */
export function journalFolders(cwd: string, lab: boolean): string[] {
  const labRuns = namesIn(join(cwd, '.oxherd', 'lab')).map((name) =>
    join(cwd, '.oxherd', 'lab', name, 'runs'),
  );
  return lab ? labRuns : [join(cwd, '.oxherd', 'runs'), ...labRuns];
}

/** Time and run; whatever else lies there is not ours to read or to remove. */
const JOURNAL_NAME = /^\d{8}T\d{6}Z-.+\.jsonl$/;

/** Names of the journals in a folder, whatever their order. */
export function journalNames(folder: string): string[] {
  return namesIn(folder).filter((name) => JOURNAL_NAME.test(name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return [];
    throw error;
  }
}
