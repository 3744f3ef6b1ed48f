import type { Table } from '../../store.js';
import type { ObjectReader, ObjectType } from '../controllers/cluster-objects.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { apiVersionOf, resourceKey } from '../kinds/resource-type.js';
import { asObject, type KubeObject, keyOf, ref, timeText } from '../object.js';
import type { ApiClient } from './api-client.js';
import { discover, pathOf } from './discovery.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const RETRY = 200;

/** When an object was made and asked to go, in lab time: its own times are the API server's, which are the wall's. */
export interface Seen {
  readonly created: number;
  readonly deleted?: number;
}

/** Every object of a real API server, kept up to date by watches. */
export class Mirror implements ObjectReader {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #sorted = new Map<string, readonly KubeObject[]>();
  readonly #watches = new Map<string, () => void>();
  readonly #listeners = new Set<(resource: string) => void>();
  /** Uids of objects that have gone: a watch may still tell of their lives. */
  readonly #gone = new Set<string>();
  #types = new Map<string, ObjectType>();
  #closed = false;

  constructor(
    private readonly client: ApiClient,
    private readonly now: () => number,
    private readonly seen: Table<Seen>,
  ) {}

  /** Settles when everything that is there has been seen once. */
  async start(): Promise<void> {
    await this.#follow();
  }

  types(): readonly ObjectType[] {
    return [...this.#types.values()];
  }

  type(resource: string): ObjectType | undefined {
    return this.#types.get(resource);
  }

  list(resource: string, namespace?: string): readonly KubeObject[] {
    let all = this.#sorted.get(resource);
    if (!all) {
      const objects = [...(this.#objects.get(resource)?.values() ?? [])];
      all = objects.sort((a, b) => (ref(a) < ref(b) ? -1 : 1));
      this.#sorted.set(resource, all);
    }
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#objects.get(resource)?.get(keyOf(namespace, name));
  }

  subscribe(listener: (resource: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An object as the API server showed it; an older one than is known is no news. */
  accept(type: ObjectType, body: Obj): KubeObject {
    const shown = asObject(body, apiVersionOf(type), type.kind);
    const resource = resourceKey(type);
    const known = this.#of(resource).get(ref(shown));
    if (known && version(known) >= version(shown)) return known;
    if (this.#gone.has(textOf(shown.metadata.uid))) return shown;
    const object = this.#inLabTime(shown);
    this.#of(resource).set(ref(object), object);
    this.#changed(resource);
    return object;
  }

  forget(type: ObjectType, { metadata }: KubeObject): void {
    const resource = resourceKey(type);
    const known = this.find(resource, metadata.namespace, metadata.name);
    this.#gone.add(textOf(metadata.uid));
    if (!known || known.metadata.uid !== metadata.uid) return;
    this.#of(resource).delete(ref(known));
    this.seen.delete(textOf(metadata.uid));
    this.#changed(resource);
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
  }

  #of(resource: string): Map<string, KubeObject> {
    let objects = this.#objects.get(resource);
    if (!objects) {
      objects = new Map();
      this.#objects.set(resource, objects);
    }
    return objects;
  }

  #changed(resource: string): void {
    this.#sorted.delete(resource);
    // A new definition is a new resource, once the server serves it.
    if (resource === DEFINITIONS) void this.#follow().catch(() => {});
    for (const listener of [...this.#listeners]) listener(resource);
  }

  #inLabTime(object: KubeObject): KubeObject {
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
    const known = this.seen.get(uid);
    const created = known?.created ?? this.now();
    const deleted =
      deletionTimestamp === undefined
        ? undefined
        : (known?.deleted ?? this.now()) + deletionGracePeriodSeconds * 1000;
    const asked = deleted === undefined ? undefined : deleted - deletionGracePeriodSeconds * 1000;
    if (known?.created !== created || known.deleted !== asked)
      this.seen.put(uid, { created, ...(asked === undefined ? {} : { deleted: asked }) });
    return {
      ...object,
      metadata: {
        ...object.metadata,
        creationTimestamp: timeText(created),
        ...(deleted === undefined ? {} : { deletionTimestamp: timeText(deleted) }),
      },
    };
  }

  /** Watches what is there and not watched yet, and releases what is gone. */
  async #follow(): Promise<void> {
    const types = await discover(this.client);
    if (this.#closed) return;
    this.#types = new Map(types.map((type) => [resourceKey(type), type]));
    for (const [resource, stop] of this.#watches) {
      if (this.#types.has(resource)) continue;
      stop();
      this.#watches.delete(resource);
      this.#objects.delete(resource);
      this.#sorted.delete(resource);
    }
    const fresh = types.filter((type) => !this.#watches.has(resourceKey(type)));
    for (const type of fresh) this.#watches.set(resourceKey(type), () => {});
    await Promise.all(fresh.map((type) => this.#list(type)));
  }

  /** All objects, then their changes. */
  async #list(type: ObjectType): Promise<void> {
    const answer = await this.client.send('GET', pathOf(type)).catch(() => undefined);
    if (this.#closed || !this.#watches.has(resourceKey(type))) return;
    if (answer?.status !== 200) {
      // A resource whose definition went meanwhile, or one that is only being set up.
      this.#again(type, () => void this.#list(type));
      return;
    }
    const items = listOf(answer.body.items).filter(isObj);
    const there = new Set(items.map((item) => textOf(at(item, 'metadata', 'uid'))));
    for (const item of items) this.accept(type, item);
    for (const known of this.list(resourceKey(type)))
      if (!there.has(textOf(known.metadata.uid))) this.forget(type, known);
    this.#watch(type, textOf(at(answer.body, 'metadata', 'resourceVersion')));
  }

  #watch(type: ObjectType, from: string): void {
    let last = from;
    const path = `${pathOf(type)}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
    const stop = this.client.watch(
      path,
      (event) => {
        const object = objOf(event.object);
        last = textOf(at(object, 'metadata', 'resourceVersion')) || last;
        if (event.type === 'ERROR') last = '';
        else if (event.type === 'DELETED') this.forget(type, asObject(object, apiVersionOf(type), type.kind));
        else if (event.type !== 'BOOKMARK') this.accept(type, object);
      },
      (status) => {
        if (this.#closed || !this.#watches.has(resourceKey(type))) return;
        // Too old or refused: everything again; else it ended because its time was up.
        if (status === 200 && last !== '') this.#watch(type, last);
        else this.#again(type, () => void this.#list(type));
      },
    );
    this.#watches.set(resourceKey(type), stop);
  }

  #again(type: ObjectType, work: () => void): void {
    const timer = setTimeout(work, RETRY);
    this.#watches.set(resourceKey(type), () => clearTimeout(timer));
  }
}

function version({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion ?? 0);
}
