import type { KubeObject } from '../object.js';
import { SortedObjects } from './sorted-objects.js';

/** The group that an object is in; `undefined`: in none. */
export type GroupKey = (object: KubeObject) => string | undefined;

const NONE: readonly KubeObject[] = [];

/**
 * The objects of one resource in groups, kept as they change: what the index of an informer is to a controller. A group is in the
 * order of namespace and name, and the same list until one of its own objects changes.
 */
export class GroupedObjects {
  readonly #groups = new Map<string, SortedObjects>();

  constructor(
    objects: Iterable<KubeObject>,
    private readonly keyOf: GroupKey,
  ) {
    const groups = new Map<string, KubeObject[]>();
    for (const object of objects) {
      const key = keyOf(object);
      if (key === undefined) continue;
      const group = groups.get(key);
      if (group) group.push(object);
      else groups.set(key, [object]);
    }
    for (const [key, group] of groups) this.#groups.set(key, new SortedObjects(group));
  }

  of(key: string): readonly KubeObject[] {
    return this.#groups.get(key)?.all() ?? NONE;
  }

  put(object: KubeObject, previous: KubeObject | undefined): void {
    const key = this.keyOf(object);
    const before = previous && this.keyOf(previous);
    if (previous && before !== undefined && before !== key) this.#drop(before, previous);
    if (key === undefined) return;
    const group = this.#groups.get(key);
    if (group) group.put(object);
    else this.#groups.set(key, new SortedObjects([object]));
  }

  remove(previous: KubeObject): void {
    const key = this.keyOf(previous);
    if (key !== undefined) this.#drop(key, previous);
  }

  #drop(key: string, object: KubeObject): void {
    const group = this.#groups.get(key);
    group?.remove(object);
    if (group?.size === 0) this.#groups.delete(key);
  }
}

const known = new WeakMap<GroupKey, WeakMap<readonly KubeObject[], GroupedObjects>>();

/** Where lists are all there is: the same list is grouped once. */
export function groupedList(objects: readonly KubeObject[], keyOf: GroupKey): GroupedObjects {
  let lists = known.get(keyOf);
  if (!lists) {
    lists = new WeakMap();
    known.set(keyOf, lists);
  }
  let grouped = lists.get(objects);
  if (!grouped) {
    grouped = new GroupedObjects(objects, keyOf);
    lists.set(objects, grouped);
  }
  return grouped;
}
