import type { KubeApi } from '../api/kube-api.js';
import { type DeleteOptions, internalWrite, PLAIN_DELETE } from '../api/options.js';
import { type Obj, objOf, sameJson } from '../json.js';
import { type ResourceType, resourceKey } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { ApiError } from '../status.js';
import type { GroupKey } from '../storage/grouped-objects.js';
import type { ClusterObjects, ObjectChange } from './cluster-objects.js';

/** The lab's own API, in the same process: a write is done when it returns. */
export class SimulatedObjects implements ClusterObjects {
  constructor(private readonly api: KubeApi) {}

  list(resource: string, namespace?: string): readonly KubeObject[] {
    return this.api.objects.list(resource, namespace);
  }

  group(resource: string, keyOf: GroupKey, key: string): readonly KubeObject[] {
    return this.api.objects.group(resource, keyOf, key);
  }

  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.api.find(resource, namespace, name);
  }

  types(): readonly ResourceType[] {
    return [...new Map(this.api.registry.types().map((type) => [resourceKey(type), type])).values()];
  }

  create(
    resource: string,
    namespace: string | undefined,
    body: Obj,
    manager: string,
  ): KubeObject | undefined {
    try {
      return this.api.create(this.api.type(resource), namespace, body, internalWrite(manager));
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  update(resource: string, object: KubeObject, part: '' | 'status', manager: string): void {
    const { namespace, name } = object.metadata;
    const old = this.#same(resource, object);
    if (!old || sameJson(old, object)) return;
    const { resourceVersion = '' } = old.metadata;
    const wanted = { ...object, metadata: { ...object.metadata, resourceVersion } };
    const target = { type: this.api.type(resource), namespace, name, subresource: part };
    this.api.replace(target, old, wanted, internalWrite(manager));
  }

  overwrite(resource: string, object: KubeObject): void {
    this.api.objects.put(resource, object);
  }

  remove(resource: string, object: KubeObject, options: Partial<DeleteOptions>): void {
    const { namespace, name } = object.metadata;
    if (!this.#same(resource, object)) return;
    const type = this.api.type(resource);
    this.api.delete({ type, namespace, name, subresource: '' }, { ...PLAIN_DELETE, ...options });
  }

  bind(pod: KubeObject, node: string): void {
    this.update('pods', { ...pod, spec: { ...objOf(pod.spec), nodeName: node } }, '', 'kube-scheduler');
  }

  finalize(namespace: KubeObject): void {
    const type = this.api.type('namespaces');
    const target = { type, namespace: undefined, name: namespace.metadata.name, subresource: 'finalize' };
    const body = { ...namespace, spec: { ...objOf(namespace.spec), finalizers: [] } };
    this.api.finalizeNamespace(target, body, internalWrite('kube-controller-manager'));
  }

  subscribe(listener: (resource: string, change: ObjectChange) => void): () => void {
    return this.api.objects.subscribe((change) => listener(change.resource, change));
  }

  /** What is there under this name, unless it is another by now. */
  #same(resource: string, object: KubeObject): KubeObject | undefined {
    const found = this.find(resource, object.metadata.namespace, object.metadata.name);
    return found?.metadata.uid === object.metadata.uid ? found : undefined;
  }
}
