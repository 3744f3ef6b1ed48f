import { at, listOf, numberOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { counts, isActive, isAvailable, isOver, isReady, podFrom } from '../pods/pods.js';
import { type Controller, ownerReference, type World } from '../world.js';
import { keepRevisions, revisionHash } from './revisions.js';

const SETS = 'statefulsets.apps';
const HASH = 'controller-revision-hash';

/** Stateful sets: numbered pods, one after the other, each with its own claims. */
export const statefulSetController: Controller = {
  reconcile(world) {
    for (const set of world.list(SETS)) {
      const hash = revisionHash(world, set);
      const update = `${set.metadata.name}-${hash}`;
      if (set.metadata.deletionTimestamp === undefined) {
        keepRevisions(world, set, hash, 'controller.kubernetes.io/hash', (of) => of);
        order(world, set, update);
      }
      report(world, set, update);
    }
    return undefined;
  },
};

function ordinal(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

function order(world: World, set: KubeObject, update: string): void {
  const replicas = numberOf(at(set, 'spec', 'replicas'), 1);
  const parallel = at(set, 'spec', 'podManagementPolicy') === 'Parallel';
  const pods = world.controlled('pods', set);
  for (const pod of pods.filter(isOver)) world.remove('pods', pod);
  for (let number = 0; number < replicas; number += 1) {
    const pod = pods.find((item) => ordinal(item) === number);
    if (!pod) createPod(world, set, number, update);
    if (!parallel && (!pod || !isReady(pod) || !isActive(pod))) return;
  }
  const extra = pods.filter((pod) => ordinal(pod) >= replicas).sort((a, b) => ordinal(b) - ordinal(a));
  for (const pod of extra) {
    if (isActive(pod)) world.remove('pods', pod);
    if (!parallel) return;
  }
  if (extra.length === 0) rollOver(world, set, pods, update);
}

/** From the highest number down, each after the one before is ready again. */
function rollOver(world: World, set: KubeObject, pods: readonly KubeObject[], update: string): void {
  const strategy = objOf(at(set, 'spec', 'updateStrategy'));
  if (strategy.type !== 'RollingUpdate' || !pods.every((pod) => isReady(pod) && isActive(pod))) return;
  const partition = numberOf(objOf(strategy.rollingUpdate).partition);
  const old = pods
    .filter((pod) => pod.metadata.labels?.[HASH] !== update && ordinal(pod) >= partition)
    .sort((a, b) => ordinal(b) - ordinal(a));
  if (old[0]) world.remove('pods', old[0]);
}

function createPod(world: World, set: KubeObject, number: number, update: string): void {
  const name = `${set.metadata.name}-${number}`;
  const { namespace } = set.metadata;
  const template = objOf(at(set, 'spec', 'template'));
  const volumes: Obj[] = [];
  for (const claim of listOf(at(set, 'spec', 'volumeClaimTemplates')).map(objOf)) {
    const of = textOf(objOf(claim.metadata).name);
    const claimName = `${of}-${name}`;
    volumes.push({ name: of, persistentVolumeClaim: { claimName } });
    if (world.find('persistentvolumeclaims', namespace, claimName)) continue;
    const labels = objOf(at(set, 'spec', 'selector', 'matchLabels'));
    world.create('persistentvolumeclaims', namespace, {
      metadata: { name: claimName, labels },
      spec: claim.spec,
    });
  }
  const spec = objOf(template.spec);
  const own = new Set(volumes.map((volume) => volume.name));
  const others = listOf(spec.volumes).filter((volume) => !own.has(objOf(volume).name));
  const full = {
    ...template,
    spec: {
      ...spec,
      volumes: [...others, ...volumes],
      hostname: name,
      subdomain: at(set, 'spec', 'serviceName'),
    },
  };
  const labels = {
    [HASH]: update,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(number),
  };
  const owner = ownerReference(set);
  world.create('pods', namespace, podFrom(full, owner, { name, labels }));
}

function report(world: World, set: KubeObject, update: string): void {
  const pods = world.controlled('pods', set).filter((pod) => !isOver(pod));
  const wait = numberOf(at(set, 'spec', 'minReadySeconds'));
  const updated = pods.filter((pod) => pod.metadata.labels?.[HASH] === update).length;
  const wanted = numberOf(at(set, 'spec', 'replicas'), 1);
  const done = updated === wanted && pods.length === wanted;
  const current = done ? update : textOf(at(set, 'status', 'currentRevision')) || update;
  world.setStatus(SETS, set, {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    availableReplicas: pods.filter((pod) => isAvailable(pod, wait, world.now)).length,
    ...counts({
      readyReplicas: pods.filter(isReady).length,
      currentReplicas: pods.filter((pod) => pod.metadata.labels?.[HASH] === current).length,
      updatedReplicas: updated,
    }),
    currentRevision: current,
    updateRevision: update,
    collisionCount: 0,
  });
}
