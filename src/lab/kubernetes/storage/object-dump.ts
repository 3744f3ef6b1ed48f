/** All objects of a cluster as one value, and back: what a snapshot of etcd holds of Kubernetes. */
import type { Store } from '../../store.js';
import { Registry } from '../kinds/registry.js';
import { resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, ref } from '../object.js';
import { ObjectStore } from './object-store.js';

export interface ObjectDump {
  readonly revision: number;
  /** By resource: `pods`, `deployments.apps`. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
}

/** Where the objects of an etcd cluster are kept. */
function objectsPrefix(etcdCluster: string): string {
  return `kubernetes/${etcdCluster}`;
}

export function dumpObjects(store: Store, etcdCluster: string): ObjectDump {
  const objects = new ObjectStore(store, objectsPrefix(etcdCluster));
  const resources = new Set(new Registry(objects).types().map(resourceKey));
  const listed = [...resources].map((resource) => [resource, objects.list(resource)] as const);
  return {
    revision: objects.revision,
    objects: Object.fromEntries(listed.filter(([, list]) => list.length > 0)),
  };
}

/** Into an etcd cluster that has no objects yet: each keeps its uid and its version. */
export function loadObjects(store: Store, etcdCluster: string, dump: ObjectDump): void {
  const prefix = objectsPrefix(etcdCluster);
  store.table<number>(`${prefix}/counters`).put('revision', dump.revision);
  for (const [resource, objects] of Object.entries(dump.objects)) {
    const table = store.table<KubeObject>(`${prefix}/${resource}`);
    for (const object of objects) table.put(ref(object), object);
  }
}
