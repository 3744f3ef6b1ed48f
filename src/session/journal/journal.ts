/** Keeps what happens during a run, each event on disk before the next one. */
import { appendFileSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
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
    // Unlike one `writeSync`, the whole line or an error.
    if (file !== undefined) appendFileSync(file, line);
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
  });
  if (file !== undefined) prune(folder, keep, (message) => context.tell({ kind: 'note', message }));
  return { emit: (event) => attempt(() => write(journalLine(event))), close };
}

function prune(folder: string, keep: number, note: (message: string) => void): void {
  for (const old of journalNames(folder, ({ message }) => note(message))
    .sort()
    .reverse()
    .slice(Math.max(1, keep))) {
    try {
      rmSync(join(folder, old), { force: true });
    } catch (error) {
      note(`an old journal cannot be removed: ${OxherdError.from(error).message}`);
    }
  }
}

type OnProblem = (problem: OxherdError) => void;

/** All runs, newest first; with `lab` those of the lab alone. One that cannot be read does not hide the others. */
export function readJournals(cwd: string, lab: boolean, onProblem: OnProblem = () => {}): Journal[] {
  return journalFolders(cwd, lab)
    .flatMap((folder) => journalNames(folder, onProblem).map((name) => ({ name, path: join(folder, name) })))
    .sort((a, b) => (a.name < b.name ? 1 : -1))
    .flatMap(({ path }) => readJournal(path, onProblem) ?? []);
}

/** `undefined`: it cannot be read, or it was removed since it was listed, as old ones are. */
export function readJournal(path: string, onProblem: OnProblem): Journal | undefined {
  try {
    const text = readTextLimited(path, MAX_FILE_BYTES);
    const journal = parseJournal(text);
    if (!journal) {
      onProblem(
        new OxherdError(
          'runs.journal',
          text.includes('\n')
            ? `${path} is damaged: its first line is not that of a journal`
            : `${path} has no events: the disk was full, or the run was killed as it began`,
          { where: path, advice: 'remove it; the cluster does not depend on it' },
        ),
      );
    }
    return journal;
  } catch (error) {
    if (isThere(path)) onProblem(unreadable(path, error));
    return undefined;
  }
}

/** Where journals are, and what is kept beside them. */
export function journalFolders(cwd: string, lab: boolean): string[] {
  const labs = join(cwd, '.oxherd', 'lab');
  const labRuns = namesIn(labs, () => {}).map((name) => join(labs, name, 'runs'));
  return lab ? labRuns : [join(cwd, '.oxherd', 'runs'), ...labRuns];
}

/** Time and run; whatever else lies there is not ours to read or to remove. */
const JOURNAL_NAME = /^\d{8}T\d{6}Z-.+\.jsonl$/;

/** Names of the journals in a folder, whatever their order. */
export function journalNames(folder: string, onProblem: OnProblem): string[] {
  return namesIn(folder, onProblem).filter((name) => JOURNAL_NAME.test(name));
}

function namesIn(folder: string, onProblem: OnProblem): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isThere(folder)) onProblem(unreadable(folder, error));
    return [];
  }
}

/** Also a link that leads nowhere, and what may not be looked at. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below a file there is nothing.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR');
  }
}

function unreadable(path: string, cause: unknown): OxherdError {
  const { message } = OxherdError.from(cause);
  return new OxherdError('runs.journal', `journals of runs cannot be read: ${message}`, {
    where: path,
    advice: `check it with \`ls -ld ${path}\`, or remove it; the cluster does not depend on it`,
    cause,
  });
}
