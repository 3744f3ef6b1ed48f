/** One table of a store. */
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
  /** Told of each change, with the record that is there now: for what is derived from the table and kept beside it. */
  watch(listener: (key: string, record: T | undefined) => void): void;
}

export type Change = [table: string, key: string, record: unknown] | [table: string, key: string];

/** Rows in memory; each change is told to the store that has the table, before those who watch it. */
export class StoreTable<T> implements Table<T> {
  readonly #watchers: ((key: string, record: T | undefined) => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly rows: Map<string, T>,
    private readonly log: (change: Change) => void,
  ) {}

  get size(): number {
    return this.rows.size;
  }

  get(key: string): T | undefined {
    return this.rows.get(key);
  }

  has(key: string): boolean {
    return this.rows.has(key);
  }

  put(key: string, record: T): void {
    this.rows.set(key, record);
    this.log([this.name, key, record]);
    for (const watcher of this.#watchers) watcher(key, record);
  }

  update(key: string, change: (record: T) => T): T {
    const record = this.rows.get(key);
    if (record === undefined) throw new Error(`no ${key} in ${this.name}`);
    const changed = change(record);
    this.put(key, changed);
    return changed;
  }

  delete(key: string): void {
    if (!this.rows.delete(key)) return;
    this.log([this.name, key]);
    for (const watcher of this.#watchers) watcher(key, undefined);
  }

  entries(): IterableIterator<[string, T]> {
    return this.rows.entries();
  }

  values(): IterableIterator<T> {
    return this.rows.values();
  }

  watch(listener: (key: string, record: T | undefined) => void): void {
    this.#watchers.push(listener);
  }
}
