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
import { type Change, StoreTable, type Table } from './store-table.js';

export type { Table } from './store-table.js';

/**
 * The lab's whole state: named tables of plain JSON records. A record is replaced, never changed in place:
 * what `put` was given is what is on disk before the request that caused it is answered (at the end of the
 * synchronous step, together with all else that changed in it).
 */
export interface Store {
  table<T>(name: string): Table<T>;
  /** Called before each change is written. */
  beforeChange(listener: () => void): void;
  /** Writes a snapshot and releases the files. */
  close(): void;
}

const savedTables = z.record(z.string(), z.array(z.tuple([z.string(), z.unknown()])));
const savedChange = z.union([
  z.tuple([z.string(), z.string()]),
  z.tuple([z.string(), z.string(), z.unknown()]),
]);
const savedLine = z.union([savedChange, z.array(savedChange)]);

/** The snapshot is written again when the log is this long, and longer than the snapshot itself. */
const COMPACT_AFTER = 4 * 1024 ** 2;
/** Characters written to the snapshot at once. */
const PIECE = 1024 ** 2;

/** With the tables of another store, if given: records are replaced, never changed in place, so both may have them. */
export function memoryStore(tables?: SavedTables): Store & { dump(): SavedTables } {
  const store = new TableStore(() => {});
  if (tables) store.restore(tables);
  return store;
}

export function fileStore(folder: string): Store {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = new StoreFiles(folder, () => store.pieces());
  const store = new TableStore(
    (change) => files.add(change),
    () => files.close(),
  );
  files.readInto(store);
  return store;
}

/**
 * Append log and snapshot in a folder. What changes in one synchronous step (a request, an event with all that its
 * handler does) is one line of the log: a process that is killed leaves all of it or nothing. A line that was cut off
 * at the end of the log is dropped.
 */
class StoreFiles {
  readonly #snapshotFile: string;
  readonly #logFile: string;
  #log: number | undefined;
  #logged = 0;
  #snapshotSize = 0;
  #closed = false;
  /** The last change of each record in this step, in the order of the changes. */
  #step = new Map<string, Change>();

  constructor(
    folder: string,
    private readonly pieces: () => Iterable<string>,
  ) {
    this.#snapshotFile = join(folder, 'snapshot.json');
    this.#logFile = join(folder, 'changes.log');
  }

  readInto(store: TableStore): void {
    if (existsSync(this.#snapshotFile)) {
      const text = readFileSync(this.#snapshotFile, 'utf8');
      this.#snapshotSize = text.length;
      readBack(this.#snapshotFile, () => store.restore(savedTables.parse(JSON.parse(text))));
    }
    if (!existsSync(this.#logFile)) return;
    const lines = readFileSync(this.#logFile, 'utf8').split('\n');
    // The last piece is empty, or was being written when the process died.
    const cut = lines.pop() ?? '';
    readBack(this.#logFile, () => {
      for (const line of lines)
        for (const change of changesOf(savedLine.parse(JSON.parse(line)))) store.replay(change);
    });
    // A half line must not get the next one appended to it.
    if (cut !== '') writeFileSync(this.#logFile, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    this.#logged = lines.reduce((sum, line) => sum + line.length + 1, 0);
  }

  add(change: Change): void {
    // A request that was under way when the lab stopped: as if its process had been killed before.
    if (this.#closed) return;
    if (this.#step.size === 0) queueMicrotask(() => this.#flush());
    const id = `${change[0]}\n${change[1]}`;
    this.#step.delete(id);
    this.#step.set(id, change);
  }

  close(): void {
    this.#flush();
    if (this.#logged > 0 || !existsSync(this.#snapshotFile)) this.#compact();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#closed = true;
  }

  #flush(): void {
    if (this.#step.size === 0 || this.#closed) return;
    const line = `${JSON.stringify([...this.#step.values()])}\n`;
    this.#step = new Map();
    this.#log ??= openSync(this.#logFile, 'a', 0o600);
    writeSync(this.#log, line);
    this.#logged += line.length;
    if (this.#logged > COMPACT_AFTER && this.#logged > this.#snapshotSize) this.#compact();
  }

  #compact(): void {
    const temporary = `${this.#snapshotFile}.new`;
    const file = openSync(temporary, 'w', 0o600);
    this.#snapshotSize = 0;
    for (const piece of this.pieces()) {
      writeSync(file, piece);
      this.#snapshotSize += piece.length;
    }
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, this.#snapshotFile);
    if (this.#log === undefined) writeFileSync(this.#logFile, '', { mode: 0o600 });
    else ftruncateSync(this.#log);
    this.#logged = 0;
  }
}

function readBack(file: string, read: () => void): void {
  try {
    read();
  } catch (cause) {
    throw new OxherdError('lab.state', 'the state of the lab is damaged', {
      where: file,
      advice: 'start with a new one: oxherd lab reset',
      cause,
    });
  }
}

/** Labs of version 0.1.0 wrote each change as a line of its own. */
function changesOf(line: Change | Change[]): Change[] {
  return isSingle(line) ? [line] : line;
}

function isSingle(line: Change | Change[]): line is Change {
  return typeof line[0] === 'string';
}

export type SavedTables = Readonly<Record<string, readonly (readonly [string, unknown])[]>>;

class TableStore implements Store {
  readonly #tables = new Map<string, Map<string, unknown>>();
  readonly #opened = new Map<string, StoreTable<unknown>>();
  readonly #listeners: (() => void)[] = [];
  readonly #log = (change: Change) => {
    for (const listener of this.#listeners) listener();
    this.append(change);
  };

  constructor(
    private readonly append: (change: Change) => void,
    private readonly onClose: () => void = () => {},
  ) {}

  beforeChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The same table each time, so that who watches it hears of every change. */
  table<T>(name: string): Table<T> {
    let table = this.#opened.get(name);
    if (!table) {
      table = new StoreTable(name, this.#rows(name), this.#log);
      this.#opened.set(name, table);
    }
    return table as StoreTable<unknown> as StoreTable<T>;
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

  dump(): SavedTables {
    return Object.fromEntries([...this.#tables].map(([name, rows]) => [name, [...rows]]));
  }

  restore(dump: SavedTables): void {
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
