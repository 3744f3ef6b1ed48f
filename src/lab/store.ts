import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OxherdError } from '../model/error.js';

/**
 * The lab's whole state: named tables of plain JSON records. A record is replaced, never changed in place:
 * what `put` was given is what is on disk before the request that caused it is answered (at the end of the
 * synchronous step, together with all else that changed in it).
 */
export interface Store {
  table<T>(name: string): Table<T>;
  /** Called before each change is written. */
  beforeChange(listener: () => void): void;
  /** Writes a snapshot and lets go of the files. */
  close(): void;
}

export interface Table<T> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  put(key: string, record: T): void;
  /** Replaces a record by a function of itself; the key must exist. */
  update(key: string, change: (record: T) => T): T;
  delete(key: string): void;
  /** In order of insertion. */
  entries(): IterableIterator<[string, T]>;
  values(): IterableIterator<T>;
  readonly size: number;
}

const savedTables = z.record(z.string(), z.array(z.tuple([z.string(), z.unknown()])));
const savedChange = z.union([
  z.tuple([z.string(), z.string()]),
  z.tuple([z.string(), z.string(), z.unknown()]),
]);
const savedLine = z.union([savedChange, z.array(savedChange)]);

type Change = [table: string, key: string, record: unknown] | [table: string, key: string];

/** The snapshot is written again when the log is this long, and longer than the snapshot itself. */
const COMPACT_AFTER = 4 * 1024 ** 2;
/** Characters written to the snapshot at once. */
const PIECE = 1024 ** 2;

export function memoryStore(): Store {
  return new TableStore(() => {});
}

/**
 * Append log and snapshot in a folder. What changes in one synchronous step (a request, an event with all that its
 * handler does) is one line of the log: a process that is killed leaves all of it or nothing. A line that was cut off
 * at the end of the log is dropped.
 */
export function fileStore(folder: string): Store {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const snapshotFile = join(folder, 'snapshot.json');
  const logFile = join(folder, 'changes.log');
  let log: number | undefined;
  let logged = 0;
  let snapshotSize = 0;
  let closed = false;
  /** The last change of each record in this step, in the order of the changes. */
  let step = new Map<string, Change>();

  const store = new TableStore((made) => {
    // A request that was under way when the lab stopped: as if its process had been killed before.
    if (closed) return;
    if (step.size === 0) queueMicrotask(flush);
    const id = `${made[0]}\n${made[1]}`;
    step.delete(id);
    step.set(id, made);
  }, close);

  function flush(): void {
    if (step.size === 0 || closed) return;
    const line = `${JSON.stringify([...step.values()])}\n`;
    step = new Map();
    log ??= openSync(logFile, 'a', 0o600);
    writeSync(log, line);
    logged += line.length;
    if (logged > COMPACT_AFTER && logged > snapshotSize) compact();
  }

  function close(): void {
    flush();
    if (logged > 0 || !existsSync(snapshotFile)) compact();
    if (log !== undefined) closeSync(log);
    closed = true;
  }

  function compact(): void {
    const temporary = `${snapshotFile}.new`;
    const file = openSync(temporary, 'w', 0o600);
    snapshotSize = 0;
    for (const piece of store.pieces()) {
      writeSync(file, piece);
      snapshotSize += piece.length;
    }
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, snapshotFile);
    if (log === undefined) writeFileSync(logFile, '', { mode: 0o600 });
    else ftruncateSync(log);
    logged = 0;
  }

  const readBack = (file: string, read: () => void): void => {
    try {
      read();
    } catch (cause) {
      throw new OxherdError('lab.state', 'the state of the lab is damaged', {
        where: file,
        advice: 'start with a new one: oxherd lab reset',
        cause,
      });
    }
  };
  if (existsSync(snapshotFile)) {
    const text = readFileSync(snapshotFile, 'utf8');
    snapshotSize = text.length;
    readBack(snapshotFile, () => store.restore(savedTables.parse(JSON.parse(text))));
  }
  if (existsSync(logFile)) {
    const lines = readFileSync(logFile, 'utf8').split('\n');
    // The last piece is empty, or was being written when the process died.
    const cut = lines.pop() ?? '';
    readBack(logFile, () => {
      for (const line of lines)
        for (const change of changesOf(savedLine.parse(JSON.parse(line)))) store.replay(change);
    });
    // A half line must not get the next one appended to it.
    if (cut !== '') writeFileSync(logFile, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    logged = lines.reduce((sum, line) => sum + line.length + 1, 0);
  }
  return store;
}

/** Labs of version 0.1.0 wrote each change as a line of its own. */
function changesOf(line: Change | Change[]): Change[] {
  return isSingle(line) ? [line] : line;
}

function isSingle(line: Change | Change[]): line is Change {
  return typeof line[0] === 'string';
}

class TableStore implements Store {
  readonly #tables = new Map<string, Map<string, unknown>>();
  readonly #listeners: (() => void)[] = [];

  constructor(
    private readonly append: (change: Change) => void,
    private readonly onClose: () => void = () => {},
  ) {}

  beforeChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  table<T>(name: string): Table<T> {
    const rows = this.#rows(name) as Map<string, T>;
    const log = (change: Change) => {
      for (const listener of this.#listeners) listener();
      this.append(change);
    };
    return {
      get: (key) => rows.get(key),
      has: (key) => rows.has(key),
      put(key, record) {
        rows.set(key, record);
        log([name, key, record]);
      },
      update(key, change) {
        const record = rows.get(key);
        if (record === undefined) throw new Error(`no ${key} in ${name}`);
        const changed = change(record);
        this.put(key, changed);
        return changed;
      },
      delete(key) {
        if (rows.delete(key)) log([name, key]);
      },
      entries: () => rows.entries(),
      values: () => rows.values(),
      get size() {
        return rows.size;
      },
    };
  }

  close(): void {
    this.onClose();
  }

  /** All tables as one JSON text, in pieces: the whole of it is never in memory at once. */
  *pieces(): Generator<string> {
    let piece = '{';
    let first = true;
    for (const [name, rows] of this.#tables) {
      piece += `${first ? '' : ','}${JSON.stringify(name)}:[`;
      first = false;
      let firstRow = true;
      for (const row of rows) {
        piece += `${firstRow ? '' : ','}${JSON.stringify(row)}`;
        firstRow = false;
        if (piece.length < PIECE) continue;
        yield piece;
        piece = '';
      }
      piece += ']';
    }
    yield `${piece}}`;
  }

  restore(dump: Record<string, [string, unknown][]>): void {
    for (const [name, rows] of Object.entries(dump)) {
      const table = this.#rows(name);
      for (const [key, record] of rows) table.set(key, record);
    }
  }

  replay(change: Change): void {
    const rows = this.#rows(change[0]);
    if (change.length === 2) rows.delete(change[1]);
    else rows.set(change[1], change[2]);
  }

  #rows(name: string): Map<string, unknown> {
    let rows = this.#tables.get(name);
    if (!rows) {
      rows = new Map();
      this.#tables.set(name, rows);
    }
    return rows;
  }
}
