import type { DeleteOptions } from '../api/options.js';
import type { ObjectType } from '../controllers/cluster-objects.js';
import { at, listOf, type Obj, textOf } from '../json.js';
import { apiVersionOf, resourceKey } from '../kinds/resource-type.js';
import { asObject, type KubeObject, keyOf, ref } from '../object.js';
import { type ApiAnswer, type ApiClient, messageOf } from './api-client.js';
import { pathOf } from './discovery.js';
import type { Mirror } from './mirror.js';

/** What a controller wants written, in the order in which it wanted it. */
export type Write =
  | { kind: 'create'; type: ObjectType; object: KubeObject; manager: string }
  | {
      kind: 'patch';
      type: ObjectType;
      object: KubeObject;
      patch: Obj;
      part: '' | 'status';
      manager: string;
    }
  | { kind: 'delete'; type: ObjectType; object: KubeObject; options: Partial<DeleteOptions> }
  | { kind: 'bind'; type: ObjectType; object: KubeObject; node: string }
  | { kind: 'finalize'; type: ObjectType; object: KubeObject };

/** Sends writes to a real API server; what it answers is what the mirror shows. */
export class Writer {
  constructor(
    private readonly client: ApiClient,
    private readonly mirror: Mirror,
    /** Told of refusals that no other writer explains. */
    private readonly refused: (text: string) => void,
  ) {}

  /** Different objects at the same time; what belongs to no namespace is created first, others may need it. */
  async send(writes: readonly Write[]): Promise<void> {
    let batch: Write[] = [];
    for (const write of writes) {
      if (write.kind === 'create' && !write.type.namespaced) {
        await this.#parallel(batch);
        batch = [];
        await this.#inOrder([write]);
      } else batch.push(write);
    }
    await this.#parallel(batch);
  }

  async #parallel(writes: readonly Write[]): Promise<void> {
    const byObject = new Map<string, Write[]>();
    for (const write of writes) {
      const key = `${resourceKey(write.type)} ${ref(write.object)}`;
      byObject.set(key, [...(byObject.get(key) ?? []), write]);
    }
    await Promise.all([...byObject.values()].map((own) => this.#inOrder(own)));
  }

  /** Writes to one object; after one that failed the others are based on nothing. */
  async #inOrder(writes: readonly Write[]): Promise<void> {
    let resourceVersion: string | undefined;
    for (const write of writes) {
      const answer = await this.#one(write, resourceVersion).catch(() => undefined);
      if (!answer || answer.status >= 300) {
        if (answer && isNews(answer)) {
          const { kind, metadata } = write.object;
          const name = keyOf(metadata.namespace, metadata.name);
          this.refused(`kube-apiserver refused to ${write.kind} ${kind} ${name}: ${messageOf(answer)}`);
        }
        return;
      }
      resourceVersion = this.#learn(write, answer) ?? resourceVersion;
    }
  }

  #one(write: Write, newer: string | undefined): Promise<ApiAnswer> {
    const { type, object } = write;
    const { namespace, name, uid } = object.metadata;
    const path = pathOf(type, namespace, name);
    const resourceVersion = newer ?? object.metadata.resourceVersion;
    switch (write.kind) {
      case 'create':
        return this.client.send('POST', `${pathOf(type, namespace)}?fieldManager=${write.manager}`, {
          body: withoutIdentity(object),
        });
      case 'patch': {
        const { patch, part, manager } = write;
        const target = part === '' ? path : `${path}/${part}`;
        const metadata = { ...objectOf(patch.metadata), resourceVersion };
        return this.client.send('PATCH', `${target}?fieldManager=${manager}`, {
          type: 'application/merge-patch+json',
          body: { ...patch, metadata },
        });
      }
      case 'delete': {
        const { gracePeriodSeconds, propagationPolicy = 'Background' } = write.options;
        const body = {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          propagationPolicy,
          ...(uid ? { preconditions: { uid } } : {}),
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        };
        return this.client.send('DELETE', path, { body });
      }
      case 'bind': {
        const target = { apiVersion: 'v1', kind: 'Node', name: write.node };
        const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
        return this.client.send('POST', `${path}/binding`, { body });
      }
      case 'finalize': {
        const body = {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name, uid, resourceVersion },
          spec: { finalizers: [] },
        };
        return this.client.send('PUT', `${path}/finalize`, { body });
      }
    }
  }

  /** The version of the object that is there now; `undefined`: it has gone, or the answer does not say. */
  #learn({ type, kind, object }: Write, { body }: ApiAnswer): string | undefined {
    const shown = body.kind === type.kind ? draftOf(type, object.metadata.namespace, body) : undefined;
    if (isGone(kind, shown)) {
      this.mirror.forget(type, object);
      return undefined;
    }
    return shown && this.mirror.accept(type, shown).metadata.resourceVersion;
  }
}

/** A delete answers with a Status or with the object's last state, a write that released it with that state as well. */
function isGone(kind: Write['kind'], shown: KubeObject | undefined): boolean {
  if (!shown) return kind === 'delete';
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = shown.metadata;
  if (deletionTimestamp === undefined) return kind === 'delete';
  const held = [...finalizers, ...listOf(at(shown, 'spec', 'finalizers'))];
  return deletionGracePeriodSeconds === 0 && held.length === 0;
}

/** Someone else was faster: seen by a watch, and looked at again. */
function isNews({ status, body }: ApiAnswer): boolean {
  const lost = status === 404 || status === 409;
  const going = textOf(at(body, 'reason')) === 'Forbidden' && /being terminated/.test(textOf(body.message));
  return !lost && !going;
}

function objectOf(value: unknown): Obj {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function withoutIdentity(object: KubeObject): Obj {
  const { uid: _u, creationTimestamp: _c, resourceVersion: _r, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function draftOf(type: ObjectType, namespace: string | undefined, body: Obj): KubeObject {
  const object = asObject(body, apiVersionOf(type), type.kind);
  return {
    ...object,
    metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) },
  };
}
