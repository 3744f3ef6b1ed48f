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
    const keys = world.objects.types().map(resourceKey);
    const all = keys.flatMap((key) => world.list(key).map((object) => ({ key, object })));
    const alive = new Map(all.map(({ object }) => [textOf(object.metadata.uid), object]));
    for (const { key, object } of all) {
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
      if (object.metadata.deletionTimestamp !== undefined) endOwner(world, key, object, all);
    }
    return undefined;
  },
};

function endOwner(
  world: World,
  key: string,
  owner: KubeObject,
  all: readonly { key: string; object: KubeObject }[],
): void {
  const { finalizers = [], uid } = owner.metadata;
  const dependents = all.filter(({ object }) =>
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
