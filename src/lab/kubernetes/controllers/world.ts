import type { Table } from '../../store.js';
import type { DeleteOptions } from '../api/options.js';
import type { NodeDescription } from '../feed.js';
import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { controllerOf, type KubeObject, type OwnerReference, timeText } from '../object.js';
import type { ClusterObjects, ObjectChange } from './cluster-objects.js';

export interface Machine {
  readonly description: NodeDescription;
  readonly up: boolean;
  /** Lab time of the last start; containers older than this were restarted with the machine. */
  readonly since: number;
  /** Whether the kubelet has registered since then: it does so once, and not again when its node is deleted. */
  readonly registered: boolean;
}

/** What the controllers see and may do: the objects of the API, the machines, the time. */
export class World {
  #recorded: Map<string, string> | undefined;

  constructor(
    readonly objects: ClusterObjects,
    private readonly clock: { now(): number },
    readonly machines: Table<Machine>,
    /** Pod uid → what its containers printed. */
    readonly logs: Table<string>,
  ) {}

  get now(): number {
    return this.clock.now();
  }

  get time(): string {
    return timeText(this.now);
  }

  list(resource: string, namespace?: string): readonly KubeObject[] {
    return this.objects.list(resource, namespace);
  }

  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.objects.find(resource, namespace, name);
  }

  /** Objects that this one controls; it has a namespace. */
  controlled(resource: string, { metadata }: KubeObject): readonly KubeObject[] {
    return this.objects.group(resource, byController, ownerKey(metadata.namespace, metadata.uid));
  }

  /** Pods that were given to a node, over or not; those of no node (`''`) wait for one. */
  podsOn(node: string): readonly KubeObject[] {
    return this.objects.group('pods', byNode, node);
  }

  /** `undefined`: the API refused it, because it is there already, its namespace is going, or it is not valid. */
  create(
    resource: string,
    namespace: string | undefined,
    body: Obj,
    manager = CONTROLLER,
  ): KubeObject | undefined {
    return this.objects.create(resource, namespace, body, manager);
  }

  /** Writes what is not status; nothing happens where nothing changed. */
  update(resource: string, object: KubeObject, manager = CONTROLLER): void {
    this.objects.update(resource, object, '', manager);
  }

  setStatus(resource: string, object: KubeObject, status: Obj, manager = CONTROLLER): void {
    if (sameJson(object.status, status)) return;
    this.objects.update(resource, { ...object, status }, 'status', manager);
  }

  remove(resource: string, object: KubeObject, options: Partial<DeleteOptions> = {}): void {
    this.objects.remove(resource, object, options);
  }

  /** What waits for this finalizer goes on; nothing happens where the object does not have it. */
  dropFinalizer(resource: string, object: KubeObject, finalizer: string, manager = CONTROLLER): void {
    const { finalizers = [], ...metadata } = object.metadata;
    if (!finalizers.includes(finalizer)) return;
    const rest = finalizers.filter((item) => item !== finalizer);
    const without = { ...metadata, ...(rest.length > 0 ? { finalizers: rest } : {}) };
    this.update(resource, { ...object, metadata: without }, manager);
  }

  /** One event per object, reason and message; a repetition is counted. */
  event(
    object: KubeObject,
    kind: 'Normal' | 'Warning',
    reason: string,
    message: string,
    component: string,
  ): void {
    const namespace = object.metadata.namespace ?? 'default';
    const { uid } = object.metadata;
    const id = JSON.stringify([namespace, uid, reason, message]);
    const known = this.#eventNamed(namespace, this.#events().get(id));
    if (known) {
      const count = typeof known.count === 'number' ? known.count + 1 : 2;
      this.objects.overwrite('events', { ...known, count, lastTimestamp: this.time });
      return;
    }
    const { apiVersion, kind: of, metadata } = object;
    const created = this.create(
      'events',
      namespace,
      {
        metadata: { generateName: `${metadata.name}.` },
        involvedObject: {
          kind: of,
          ...(metadata.namespace ? { namespace } : {}),
          name: metadata.name,
          uid,
          apiVersion,
          resourceVersion: metadata.resourceVersion,
        },
        reason,
        message,
        source: { component },
        firstTimestamp: this.time,
        lastTimestamp: this.time,
        count: 1,
        type: kind,
        reportingComponent: component,
        reportingInstance: '',
      },
      component,
    );
    if (created) this.#events().set(id, created.metadata.name);
  }

  #eventNamed(namespace: string, name: string | undefined): KubeObject | undefined {
    return name === undefined ? undefined : this.find('events', namespace, name);
  }

  /** Names by what they are about: a recorder knows the events of its own process, and here those of the one before. */
  #events(): Map<string, string> {
    this.#recorded ??= new Map(
      this.list('events').map((event) => [
        JSON.stringify([
          event.metadata.namespace,
          at(event, 'involvedObject', 'uid'),
          event.reason,
          event.message,
        ]),
        event.metadata.name,
      ]),
    );
    return this.#recorded;
  }
}

const CONTROLLER = 'kube-controller-manager';

/** A controller is in the namespace of what it controls. */
const byController = (object: KubeObject) => ownerKey(object.metadata.namespace, controllerOf(object)?.uid);
const ownerKey = (namespace: string | undefined, uid = '') => `${namespace ?? ''}/${uid}`;
const byNode = (pod: KubeObject) => textOf(at(pod, 'spec', 'nodeName'));

/** A controller makes the world a little more as it should be, and says when to look again. */
export interface Controller {
  /** Whether a change is any of its business; without this every one is. */
  concerns?(change: ObjectChange): boolean;
  /** Lab time of the next thing that is due, if time alone will bring it. */
  reconcile(world: World): number | undefined;
}

export function ownerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function soonest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}

export function conditionOf(object: KubeObject, type: string): Obj | undefined {
  for (const condition of listOf(at(object, 'status', 'conditions')))
    if (isObj(condition) && condition.type === type) return condition;
  return undefined;
}

export function isTrue(object: KubeObject, condition: string): boolean {
  return conditionOf(object, condition)?.status === 'True';
}

/** Puts a condition into a list; its transition time moves only when its status does. */
export function withCondition(
  conditions: readonly unknown[],
  condition: Obj,
  time: string,
  timeField = 'lastTransitionTime',
): Obj[] {
  const known = conditions.map(objOf);
  const old = known.find((item) => item.type === condition.type);
  const since = old && old.status === condition.status ? old[timeField] : time;
  const next = { ...old, ...condition, [timeField]: since };
  return old ? known.map((item) => (item === old ? next : item)) : [...known, next];
}
