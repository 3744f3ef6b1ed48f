import { at, sameJson, textOf } from '../json.js';
import { resourceKey } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import type { Controller, World } from './world.js';

const CA_NOTE =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Every namespace has its service account `default` and the cluster's CA. */
export function namespaceContentController(authority: () => string): Controller {
  return {
    reconcile(world) {
      for (const namespace of world.list('namespaces')) {
        if (namespace.metadata.deletionTimestamp !== undefined) continue;
        const { name } = namespace.metadata;
        if (!world.find('serviceaccounts', name, 'default')) {
          world.create('serviceaccounts', name, { metadata: { name: 'default' } });
        }
        if (!world.find('configmaps', name, 'kube-root-ca.crt')) {
          const annotations = { 'kubernetes.io/description': CA_NOTE };
          const data = { 'ca.crt': authority() };
          world.create('configmaps', name, { metadata: { name: 'kube-root-ca.crt', annotations }, data });
        }
      }
      return undefined;
    },
  };
}

/** A namespace that is going takes everything in it along, and goes last. */
export const namespaceEndController: Controller = {
  reconcile(world) {
    for (const namespace of world.list('namespaces')) {
      if (namespace.metadata.deletionTimestamp === undefined) continue;
      const { name } = namespace.metadata;
      const types = world.objects.types().filter((type) => type.namespaced);
      let left = 0;
      for (const key of types.map(resourceKey)) {
        for (const object of world.list(key, name)) {
          left += 1;
          if (object.metadata.deletionTimestamp === undefined) world.remove(key, object);
        }
      }
      if (left === 0) world.objects.finalize(namespace);
    }
    return undefined;
  },
};

/** Objects go with their owners: the garbage collector. */
export const garbageController: Controller = {
  // Someone lost its owner, is going, or came to an owner that may be gone.
  concerns: ({ type, object: { metadata }, previous }) =>
    type === 'DELETED' ||
    metadata.deletionTimestamp !== undefined ||
    (metadata.ownerReferences !== undefined &&
      !sameJson(metadata.ownerReferences, previous?.metadata.ownerReferences)),
  reconcile(world) {
    const lists = world.objects.types().map((type) => {
      const key = resourceKey(type);
      return { key, objects: world.list(key) };
    });
    const concerned: Concerned[] = [];
    for (const { key, objects } of lists)
      for (const object of objects)
        if (isOwned(object) || object.metadata.deletionTimestamp !== undefined)
          concerned.push({ key, object });
    const alive = ownersAlive(concerned, lists);
    for (const { key, object } of concerned) {
      const owners = object.metadata.ownerReferences ?? [];
      if (owners.length > 0) {
        const orphaned = owners.every((owner) => !alive.has(owner.uid));
        const leaving = owners.some((owner) => {
          const finalizers = alive.get(owner.uid)?.metadata.finalizers ?? [];
          return finalizers.includes('foregroundDeletion');
        });
        if ((orphaned || leaving) && object.metadata.deletionTimestamp === undefined)
          world.remove(key, object);
      }
      if (object.metadata.deletionTimestamp !== undefined) endOwner(world, key, object, concerned);
    }
    return undefined;
  },
};

interface Concerned {
  readonly key: string;
  readonly object: KubeObject;
}

const isOwned = ({ metadata }: KubeObject) => (metadata.ownerReferences?.length ?? 0) > 0;

/** Of the owners that are named, by uid, those that are there. */
function ownersAlive(
  concerned: readonly Concerned[],
  lists: readonly { readonly objects: readonly KubeObject[] }[],
): ReadonlyMap<string, KubeObject> {
  const named = new Set<string>();
  for (const { object } of concerned)
    for (const { uid } of object.metadata.ownerReferences ?? []) named.add(uid);
  const alive = new Map<string, KubeObject>();
  for (const { objects } of lists)
    for (const object of objects) {
      const uid = textOf(object.metadata.uid);
      if (named.has(uid)) alive.set(uid, object);
    }
  return alive;
}

function endOwner(world: World, key: string, owner: KubeObject, concerned: readonly Concerned[]): void {
  const { finalizers = [], uid } = owner.metadata;
  if (finalizers.length === 0) return;
  const dependents = concerned.filter(({ object }) =>
    object.metadata.ownerReferences?.some((item) => item.uid === uid),
  );
  if (finalizers.includes('orphan')) {
    for (const { key: of, object } of dependents) {
      const rest = object.metadata.ownerReferences?.filter((item) => item.uid !== uid) ?? [];
      const { ownerReferences: _, ...metadata } = object.metadata;
      world.update(of, {
        ...object,
        metadata: { ...metadata, ...(rest.length > 0 ? { ownerReferences: rest } : {}) },
      });
    }
    world.dropFinalizer(key, owner, 'orphan');
  }
  const blocking = dependents.filter(({ object }) =>
    object.metadata.ownerReferences?.some((item) => item.uid === uid && item.blockOwnerDeletion === true),
  );
  if (finalizers.includes('foregroundDeletion') && blocking.length === 0) {
    world.dropFinalizer(key, owner, 'foregroundDeletion');
  }
}

/** Pods whose node is gone are no one's any more. */
export const podGarbageController: Controller = {
  reconcile(world) {
    for (const pod of world.list('pods')) {
      const node = textOf(at(pod, 'spec', 'nodeName'));
      if (node === '' && pod.metadata.deletionTimestamp === undefined) continue;
      if (node !== '' && world.find('nodes', undefined, node)) continue;
      world.remove('pods', pod, { gracePeriodSeconds: 0 });
    }
    return undefined;
  },
};
