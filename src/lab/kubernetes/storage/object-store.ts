import type { Store, Table } from '../../store.js';
import { type KubeObject, keyOf, ref } from '../object.js';
import { GroupedObjects, type GroupKey } from './grouped-objects.js';
import { SortedObjects } from './sorted-objects.js';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly revision: number;
}

/** Changes kept for watches; who asks for older ones must list again. */
const HISTORY = 5_000;

/** What etcd is to an API server: objects by key, one revision for all of them, and what happened lately. */
export class ObjectStore {
  readonly #tables = new Map<string, Table<KubeObject>>();
  readonly #counters: Table<number>;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #sorted = new Map<string, SortedObjects>();
  /** By resource and what they are grouped by. */
  readonly #grouped = new Map<string, Map<GroupKey, GroupedObjects>>();
  #history: Change[] = [];
  /** Revisions up to this one are forgotten. */
  #compacted: number;

  constructor(
    private readonly store: Store,
    private readonly prefix: string,
  ) {
    this.#counters = store.table<number>(`${prefix}/counters`);
    this.#compacted = this.revision;
  }

  get revision(): number {
    return this.#counters.get('revision') ?? 1;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Forgets the changes up to now, as etcd's compaction does. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.revision;
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#table(resource).get(key);
  }

  /** In order of namespace and name, as etcd walks its keys. */
  list(resource: string, namespace?: string): readonly KubeObject[] {
    const objects = this.#objects(resource);
    return namespace === undefined ? objects.all() : objects.in(namespace);
  }

  /** Of a resource those that are in a group, in order; `keyOf` is made once, not for each call. */
  group(resource: string, keyOf: GroupKey, key: string): readonly KubeObject[] {
    let groupings = this.#grouped.get(resource);
    if (!groupings) {
      groupings = new Map();
      this.#grouped.set(resource, groupings);
    }
    let grouped = groupings.get(keyOf);
    if (!grouped) {
      grouped = new GroupedObjects(this.#table(resource).values(), keyOf);
      groupings.set(keyOf, grouped);
    }
    return grouped.of(key);
  }

  /** `undefined`: too old, the changes since then are forgotten. */
  listAt(resource: string, revision: number, namespace?: string): readonly KubeObject[] | undefined {
    if (revision < this.#compacted) return undefined;
    const objects = new Map([...this.#table(resource).entries()]);
    for (const change of this.#history.toReversed()) {
      if (change.revision <= revision) break;
      if (change.resource !== resource) continue;
      if (change.previous) objects.set(ref(change.object), change.previous);
      else objects.delete(ref(change.object));
    }
    const then = new SortedObjects(objects.values());
    return namespace === undefined ? then.all() : then.in(namespace);
  }

  changesSince(resource: string, revision: number): Change[] | undefined {
    if (revision < this.#compacted) return undefined;
    return this.#history.filter((change) => change.revision > revision && change.resource === resource);
  }

  put(resource: string, object: KubeObject): KubeObject {
    const revision = this.#next();
    const key = ref(object);
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const previous = this.get(resource, key);
    this.#table(resource).put(key, stored);
    this.#sorted.get(resource)?.put(stored);
    for (const grouped of this.#groupings(resource)) grouped.put(stored, previous);
    this.#announce({ type: previous ? 'MODIFIED' : 'ADDED', resource, object: stored, previous, revision });
    return stored;
  }

  /** The object's last state, as watchers see it. */
  remove(resource: string, namespace: string | undefined, name: string): void {
    const key = keyOf(namespace, name);
    const previous = this.get(resource, key);
    if (!previous) return;
    const revision = this.#next();
    this.#table(resource).delete(key);
    this.#sorted.get(resource)?.remove(previous);
    for (const grouped of this.#groupings(resource)) grouped.remove(previous);
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } };
    this.#announce({ type: 'DELETED', resource, object, previous, revision });
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #next(): number {
    const revision = this.revision + 1;
    this.#counters.put('revision', revision);
    return revision;
  }

  #announce(change: Change): void {
    this.#history.push(change);
    // The list is cut now and then: to move all that stays with each change costs more than the change.
    const oldest = this.#history.length - HISTORY;
    if (oldest > 0) this.#compacted = this.#history[oldest - 1]?.revision ?? this.#compacted;
    if (oldest >= HISTORY / 10) this.#history = this.#history.slice(oldest);
    for (const listener of [...this.#listeners]) listener(change);
  }

  #groupings(resource: string): Iterable<GroupedObjects> {
    return this.#grouped.get(resource)?.values() ?? [];
  }

  #objects(resource: string): SortedObjects {
    let objects = this.#sorted.get(resource);
    if (!objects) {
      objects = new SortedObjects(this.#table(resource).values());
      this.#sorted.set(resource, objects);
    }
    return objects;
  }

  #table(resource: string): Table<KubeObject> {
    let table = this.#tables.get(resource);
    if (!table) {
      table = this.store.table<KubeObject>(`${this.prefix}/${resource}`);
      this.#tables.set(resource, table);
    }
    return table;
  }
}
