import type { Table } from '../../store.js';
import type { DeleteOptions } from '../api/options.js';
import type { NodeDescription } from '../feed.js';
import { at, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
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

  /** Objects that this one controls. */
  controlled(resource: string, owner: KubeObject): readonly KubeObject[] {
    const { uid = '', namespace } = owner.metadata;
    return byController(this.list(resource, namespace)).get(uid) ?? [];
  }

  /** Pods that were given to a node, over or not. */
  podsOn(node: string): readonly KubeObject[] {
    return byNode(this.list('pods')).get(node) ?? [];
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

const byController = groups((object) => controllerOf(object)?.uid ?? '');
const byNode = groups((pod) => textOf(at(pod, 'spec', 'nodeName')));

/** A list in groups; the same list is grouped once. */
function groups(keyOf: (object: KubeObject) => string) {
  const known = new WeakMap<readonly KubeObject[], Map<string, KubeObject[]>>();
  return (objects: readonly KubeObject[]) => {
    const found = known.get(objects);
    if (found) return found;
    const grouped = new Map<string, KubeObject[]>();
    for (const object of objects) {
      const key = keyOf(object);
      const group = grouped.get(key);
      if (group) group.push(object);
      else grouped.set(key, [object]);
    }
    known.set(objects, grouped);
    return grouped;
  };
}

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
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export function conditionOf(object: KubeObject, type: string): Obj | undefined {
  return listOf(at(object, 'status', 'conditions'))
    .map(objOf)
    .find((condition) => condition.type === type);
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
