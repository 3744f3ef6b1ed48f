import type { Random } from '../../lab.js';
import type { DeleteOptions } from '../api/options.js';
import type { ClusterObjects, ObjectType } from '../controllers/cluster-objects.js';
import { type Obj, objOf, sameJson } from '../json.js';
import { type KubeObject, keyOf, ref, timeText } from '../object.js';
import { mergePatchBetween } from '../patch/merge-patch.js';
import { type GroupKey, groupedList } from '../storage/grouped-objects.js';
import type { Mirror } from './mirror.js';
import { draftOf, type Write, type Writer } from './writes.js';

const NAMES = 'bcdfghjklmnpqrstvwxz2456789';

/** What one running API server shows and takes. */
interface Connection {
  readonly mirror: Mirror;
  readonly writer: Writer;
}

/**
 * A real API as the controllers see it. What one of them writes is seen at once, and sent when it has finished; what
 * the server made of it is what is seen from then on.
 */
export class RealObjects implements ClusterObjects {
  #connection: Connection | undefined;
  #queue: Write[] = [];
  /** Resource → key → as written in this round; `undefined`: removed. */
  readonly #written = new Map<string, Map<string, KubeObject | undefined>>();
  readonly #listeners = new Set<(resource: string) => void>();
  readonly settle = () => this.#settle();

  constructor(
    private readonly clock: { now(): number },
    private readonly random: Random,
  ) {}

  /** `undefined`: no API server runs, and nothing is seen. */
  connect(connection: Connection | undefined): void {
    this.#connection = connection;
    this.#queue = [];
    this.#written.clear();
    connection?.mirror.subscribe((resource) => {
      for (const listener of [...this.#listeners]) listener(resource);
    });
  }

  list(resource: string, namespace?: string): readonly KubeObject[] {
    const known = this.#connection?.mirror.list(resource, namespace) ?? [];
    const written = this.#written.get(resource);
    if (!written || written.size === 0) return known;
    const all = new Map(known.map((object) => [ref(object), object]));
    for (const [key, object] of written) {
      if (!object) all.delete(key);
      else if (namespace === undefined || object.metadata.namespace === namespace) all.set(key, object);
    }
    return [...all.values()].sort((a, b) => (ref(a) < ref(b) ? -1 : 1));
  }

  group(resource: string, keyOf: GroupKey, key: string): readonly KubeObject[] {
    return groupedList(this.list(resource), keyOf).of(key);
  }

  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    const key = keyOf(namespace, name);
    const written = this.#written.get(resource);
    if (written?.has(key)) return written.get(key);
    return this.#connection?.mirror.find(resource, namespace, name);
  }

  types(): readonly ObjectType[] {
    return this.#connection?.mirror.types() ?? [];
  }

  create(
    resource: string,
    namespace: string | undefined,
    body: Obj,
    manager: string,
  ): KubeObject | undefined {
    const type = this.#type(resource);
    if (!type) return undefined;
    const { generateName } = objOf(body.metadata);
    const draft = draftOf(type, namespace, body);
    const name =
      draft.metadata.name || `${typeof generateName === 'string' ? generateName : ''}${this.#suffix()}`;
    if (this.find(resource, namespace, name)) return undefined;
    // Its owner is being created: the next round knows that one's uid.
    if (draft.metadata.ownerReferences?.some(({ uid }) => uid === '')) return undefined;
    const object = {
      ...draft,
      // The server gives it its own; until then nothing refers to it.
      metadata: { ...draft.metadata, name, uid: '', creationTimestamp: timeText(this.clock.now()) },
    };
    this.#write(resource, ref(object), object, { kind: 'create', type, object, manager });
    return object;
  }

  update(resource: string, object: KubeObject, part: '' | 'status', manager: string): void {
    const type = this.#type(resource);
    const old = this.#same(resource, object);
    if (!type || !old) return;
    const wanted = part === 'status' ? withStatus(old, object) : { ...object, status: old.status };
    const { resourceVersion: _v, managedFields: _m, ...metadata } = wanted.metadata;
    const { resourceVersion: _w, managedFields: _n, ...before } = old.metadata;
    const patch = mergePatchBetween({ ...old, metadata: before }, { ...wanted, metadata });
    if (!patch) return;
    this.#write(resource, ref(old), wanted, { kind: 'patch', type, object: old, patch, part, manager });
  }

  overwrite(resource: string, object: KubeObject): void {
    this.update(resource, object, '', 'kubelet');
  }

  remove(resource: string, object: KubeObject, options: Partial<DeleteOptions>): void {
    const type = this.#type(resource);
    const old = this.#same(resource, object);
    if (!type || !old) return;
    const { finalizers = [] } = old.metadata;
    const lingers = finalizers.length > 0 || (resource === 'pods' && options.gracePeriodSeconds !== 0);
    const shown = lingers
      ? { ...old, metadata: { ...old.metadata, deletionTimestamp: timeText(this.clock.now()) } }
      : undefined;
    this.#write(resource, ref(old), shown, { kind: 'delete', type, object: old, options });
  }

  bind(pod: KubeObject, node: string): void {
    const type = this.#type('pods');
    const old = this.#same('pods', pod);
    if (!type || !old) return;
    const bound = { ...old, spec: { ...objOf(old.spec), nodeName: node } };
    this.#write('pods', ref(old), bound, { kind: 'bind', type, object: old, node });
  }

  finalize(namespace: KubeObject): void {
    const type = this.#type('namespaces');
    if (type)
      this.#write('namespaces', ref(namespace), undefined, { kind: 'finalize', type, object: namespace });
  }

  subscribe(listener: (resource: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #settle(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    if (queue.length > 0) await this.#connection?.writer.send(queue);
    this.#written.clear();
  }

  #type(resource: string): ObjectType | undefined {
    return this.#connection?.mirror.type(resource);
  }

  /** What is there under this name, unless it is another by now. */
  #same(resource: string, object: KubeObject): KubeObject | undefined {
    const found = this.find(resource, object.metadata.namespace, object.metadata.name);
    return found?.metadata.uid === object.metadata.uid ? found : undefined;
  }

  #write(resource: string, key: string, shown: KubeObject | undefined, write: Write): void {
    let written = this.#written.get(resource);
    if (!written) {
      written = new Map();
      this.#written.set(resource, written);
    }
    written.set(key, shown);
    this.#queue.push(write);
  }

  #suffix(): string {
    return Array.from({ length: 5 }, () => NAMES[this.random.below(NAMES.length)] ?? 'b').join('');
  }
}

/** With a status that did not change it is an annotation that did: written this way it counts no generation. */
function withStatus(old: KubeObject, { metadata: { annotations }, status }: KubeObject): KubeObject {
  if (!sameJson(old.status, status) || annotations === undefined) return { ...old, status };
  return { ...old, metadata: { ...old.metadata, annotations } };
}
