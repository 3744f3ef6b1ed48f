import { at, listOf, numberOf, objOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import { counts, isActive, isAvailable, isReady, leastUsefulFirst, podFrom } from '../pods/pods.js';
import { type Controller, ownerReference, type World } from '../world.js';

const SETS = 'replicasets.apps';

/** Replica sets: as many pods of one template as asked for. */
export const replicaSetController: Controller = {
  reconcile(world) {
    for (const set of world.list(SETS)) {
      if (set.metadata.deletionTimestamp === undefined) resize(world, set);
      report(world, set);
    }
    return undefined;
  },
};

function resize(world: World, set: KubeObject): void {
  const pods = world.controlled('pods', set).filter(isActive);
  const missing = numberOf(at(set, 'spec', 'replicas')) - pods.length;
  const owner = ownerReference(set);
  const template = objOf(at(set, 'spec', 'template'));
  for (let count = 0; count < missing; count += 1) {
    const body = podFrom(template, owner, { generateName: `${set.metadata.name}-` });
    const pod = world.create('pods', set.metadata.namespace, body);
    if (!pod) return;
    world.event(
      set,
      'Normal',
      'SuccessfulCreate',
      `Created pod: ${pod.metadata.name}`,
      'replicaset-controller',
    );
  }
  for (const pod of leastUsefulFirst(pods).slice(0, Math.max(0, -missing))) {
    world.remove('pods', pod);
    world.event(
      set,
      'Normal',
      'SuccessfulDelete',
      `Deleted pod: ${pod.metadata.name}`,
      'replicaset-controller',
    );
  }
}

function report(world: World, set: KubeObject): void {
  const all = world.controlled('pods', set);
  const pods = all.filter(isActive);
  const labels = { matchLabels: at(set, 'spec', 'template', 'metadata', 'labels') };
  const wait = numberOf(at(set, 'spec', 'minReadySeconds'));
  const conditions = listOf(at(set, 'status', 'conditions'));
  world.setStatus(SETS, set, {
    replicas: pods.length,
    ...counts({
      fullyLabeledReplicas: pods.filter((pod) => selectorMatches(labels, pod.metadata.labels ?? {})).length,
      readyReplicas: pods.filter(isReady).length,
      availableReplicas: pods.filter((pod) => isAvailable(pod, wait, world.now)).length,
    }),
    terminatingReplicas: all.filter((pod) => pod.metadata.deletionTimestamp !== undefined).length,
    observedGeneration: set.metadata.generation,
    ...(conditions.length > 0 ? { conditions } : {}),
  });
}
