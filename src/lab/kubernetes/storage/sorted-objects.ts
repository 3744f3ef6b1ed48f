import { type KubeObject, ref } from '../object.js';

/**
 * The objects of one resource in order of namespace and name, as etcd walks its keys. What was handed out stays as it was: the next
 * change is made to a copy, so the same list is the same objects.
 */
export class SortedObjects {
  #keys: string[];
  #objects: KubeObject[];
  #lent = false;
  readonly #namespaces = new Map<string, readonly KubeObject[]>();

  constructor(objects: Iterable<KubeObject>) {
    const entries = [...objects].map((object): [string, KubeObject] => [ref(object), object]);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#keys = entries.map(([key]) => key);
    this.#objects = entries.map(([, object]) => object);
  }

  get size(): number {
    return this.#objects.length;
  }

  all(): readonly KubeObject[] {
    this.#lent = true;
    return this.#objects;
  }

  in(namespace: string): readonly KubeObject[] {
    let objects = this.#namespaces.get(namespace);
    if (!objects) {
      // Keys of a namespace lie together, and `0` comes next after `/`.
      objects = this.#objects.slice(this.#place(`${namespace}/`), this.#place(`${namespace}0`));
      this.#namespaces.set(namespace, objects);
    }
    return objects;
  }

  put(object: KubeObject): void {
    const key = ref(object);
    const place = this.#place(key);
    this.#change(object);
    if (this.#keys[place] === key) {
      this.#objects[place] = object;
      return;
    }
    this.#keys.splice(place, 0, key);
    this.#objects.splice(place, 0, object);
  }

  remove(object: KubeObject): void {
    const key = ref(object);
    const place = this.#place(key);
    if (this.#keys[place] !== key) return;
    this.#change(object);
    this.#keys.splice(place, 1);
    this.#objects.splice(place, 1);
  }

  #change({ metadata }: KubeObject): void {
    this.#namespaces.delete(metadata.namespace ?? '');
    if (this.#lent) this.#objects = [...this.#objects];
    this.#lent = false;
  }

  /** Where the key is, or would be. */
  #place(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
