import type { DeleteOptions } from '../api/options.js';
import type { Obj } from '../json.js';
import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import type { GroupKey } from '../storage/grouped-objects.js';

/** As much of a resource's type as its objects' users need. */
export type ObjectType = Pick<ResourceType, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'>;

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/** Objects as they were last seen. Resources are named `pods`, `deployments.apps`. */
export interface ObjectReader {
  list(resource: string, namespace?: string): readonly KubeObject[];
  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined;
}

/**
 * All that the controllers need of a Kubernetes API; it is the same whether the API is the lab's own or a real one.
 * Reads show what was written before, in this round too. A write may be refused: then nothing happens, and the next
 * round sees what is so.
 */
export interface ClusterObjects extends ObjectReader {
  /** Of a resource those that are in a group, in the order of a list; the same list until one of them changes. */
  group(resource: string, keyOf: GroupKey, key: string): readonly KubeObject[];
  /** Every resource there is now, once, whatever its versions. */
  types(): readonly ObjectType[];
  /** `undefined`: refused, because it is there already, its namespace is going, or it is not valid. */
  create(resource: string, namespace: string | undefined, body: Obj, manager: string): KubeObject | undefined;
  /** The object without its status, or (`status`) its status alone; nothing happens where nothing changed. */
  update(resource: string, object: KubeObject, part: '' | 'status', manager: string): void;
  /** Heartbeats and counters: written often, owned by no one, judged by no rule. */
  overwrite(resource: string, object: KubeObject): void;
  remove(resource: string, object: KubeObject, options: Partial<DeleteOptions>): void;
  /** The scheduler's decision. */
  bind(pod: KubeObject, node: string): void;
  /** A namespace that is going and empty ends. */
  finalize(namespace: KubeObject): void;
  /** Told of every change, with the resource that changed and, where it is known, how. */
  subscribe(listener: (resource: string, change?: ObjectChange) => void): () => void;
  /** Sends what was written and waits for the answers; absent where every write is done at once. */
  readonly settle?: () => Promise<void>;
}
