import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * The lab's whole state: named tables of plain JSON records. A record is replaced, never changed in place:
 * what `put` was given is what is on disk before the request that caused it is answered.
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

type Change = [table: string, key: string, record: unknown] | [table: string, key: string];

/** After so many log entries the snapshot is written anew. */
const COMPACT_AFTER = 5_000;

export function memoryStore(): Store {
  return new TableStore(() => {});
}

/** Append log and snapshot in a folder; an entry cut off by a crash at the end of the log is dropped. */
export function fileStore(folder: string): Store {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const snapshotFile = join(folder, 'snapshot.json');
  const logFile = join(folder, 'changes.log');
  let logged = 0;
  let closed = false;

  const store = new TableStore((change) => {
    // A request that was under way when the lab stopped: as if its process had been killed before.
    if (closed) return;
    appendFileSync(logFile, `${JSON.stringify(change)}\n`, { mode: 0o600 });
    logged += 1;
    if (logged >= COMPACT_AFTER) compact();
  }, close);

  function close(): void {
    compact();
    closed = true;
  }

  function compact(): void {
    const temporary = `${snapshotFile}.new`;
    const file = openSync(temporary, 'w', 0o600);
    writeSync(file, JSON.stringify(store.dump()));
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, snapshotFile);
    writeFileSync(logFile, '', { mode: 0o600 });
    logged = 0;
  }

  if (existsSync(snapshotFile)) store.restore(JSON.parse(readFileSync(snapshotFile, 'utf8')));
  if (existsSync(logFile)) {
    const lines = readFileSync(logFile, 'utf8').split('\n');
    // The last piece is empty, or was being written when the process died.
    lines.pop();
    for (const line of lines) store.replay(JSON.parse(line));
    // A half line must not get the next entry appended to it.
    writeFileSync(logFile, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    logged = lines.length;
  }
  return store;
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

  dump(): Record<string, [string, unknown][]> {
    return Object.fromEntries([...this.#tables].map(([name, rows]) => [name, [...rows]]));
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
