import { at, listOf, numberOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { counts, sameTemplate, share, templateHash } from '../pods/pods.js';
import { type Controller, ownerReference, type World, withCondition } from '../world.js';

const SETS = 'replicasets.apps';
const MANAGER = 'kube-controller-manager';
const REVISION = 'deployment.kubernetes.io/revision';

/** Deployments: one replica set per template, rolled over within maxSurge and maxUnavailable. */
export const deploymentController: Controller = {
  reconcile(world) {
    for (const deployment of world.list('deployments.apps')) {
      if (deployment.metadata.deletionTimestamp === undefined) reconcile(world, deployment);
    }
    return undefined;
  },
};

function reconcile(world: World, deployment: KubeObject): void {
  const spec = objOf(deployment.spec);
  const sets = world
    .controlled(SETS, deployment)
    .filter((set) => set.metadata.deletionTimestamp === undefined);
  const current =
    sets.find((set) => sameTemplate(at(set, 'spec', 'template'), spec.template)) ??
    newSet(world, deployment, sets);
  if (!current) return;
  const old = sets.filter((set) => set.metadata.uid !== current.metadata.uid);
  takeRevision(world, deployment, current, old);
  roll(world, deployment, current, old);
  forget(world, deployment, old);
  report(world, deployment, current.metadata.name);
}

function replicasOf(set: KubeObject): number {
  return numberOf(at(set, 'spec', 'replicas'));
}

function available(set: KubeObject): number {
  return numberOf(at(set, 'status', 'availableReplicas'));
}

function newSet(world: World, deployment: KubeObject, sets: readonly KubeObject[]): KubeObject | undefined {
  const template = objOf(at(deployment, 'spec', 'template'));
  const hash = templateHash(template);
  const metadata = objOf(template.metadata);
  const labels = { ...objOf(metadata.labels), 'pod-template-hash': hash };
  const selector = objOf(at(deployment, 'spec', 'selector'));
  const replicas = firstSize(deployment, sets);
  const set = world.create(SETS, deployment.metadata.namespace, {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      labels,
      annotations: { ...sizeAnnotations(deployment), [REVISION]: String(nextRevision(sets)) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas,
      minReadySeconds: numberOf(at(deployment, 'spec', 'minReadySeconds')) || undefined,
      selector: { ...selector, matchLabels: { ...objOf(selector.matchLabels), 'pod-template-hash': hash } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  });
  if (set && replicas > 0) announce(world, deployment, set, 0, replicas);
  return set;
}

/** A new set starts with what there is room for beside the old ones. */
function firstSize(deployment: KubeObject, old: readonly KubeObject[]): number {
  const { desired, most } = limits(deployment);
  const oldTotal = old.reduce((sum, set) => sum + replicasOf(set), 0);
  if (at(deployment, 'spec', 'strategy', 'type') === 'Recreate' && oldTotal > 0) return 0;
  return Math.max(0, Math.min(desired, most - oldTotal));
}

function announce(world: World, deployment: KubeObject, set: KubeObject, from: number, to: number): void {
  const direction = to > from ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
  world.event(deployment, 'Normal', 'ScalingReplicaSet', message, 'deployment-controller');
}

function nextRevision(sets: readonly KubeObject[]): number {
  return Math.max(0, ...sets.map((set) => Number(set.metadata.annotations?.[REVISION] ?? 0))) + 1;
}

function sizeAnnotations(deployment: KubeObject): Record<string, string> {
  const { desired, most } = limits(deployment);
  return {
    'deployment.kubernetes.io/desired-replicas': String(desired),
    'deployment.kubernetes.io/max-replicas': String(most),
  };
}

function limits(deployment: KubeObject): { desired: number; most: number; least: number } {
  const desired = numberOf(at(deployment, 'spec', 'replicas'), 1);
  const strategy = objOf(at(deployment, 'spec', 'strategy'));
  if (strategy.type === 'Recreate') return { desired, most: desired, least: 0 };
  const { maxSurge, maxUnavailable } = objOf(strategy.rollingUpdate);
  const surge = share(maxSurge, desired, 'up');
  const missing = share(maxUnavailable, desired, 'down');
  // Both zero would never move.
  return { desired, most: desired + surge, least: desired - (surge === 0 && missing === 0 ? 1 : missing) };
}

/** The set in use has the highest revision; one that comes back gets a new number. */
function takeRevision(
  world: World,
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): void {
  const own = Number(current.metadata.annotations?.[REVISION] ?? 0);
  const revision = String(Math.max(own, old.length > 0 ? nextRevision(old) : own));
  const annotations = {
    ...current.metadata.annotations,
    ...sizeAnnotations(deployment),
    [REVISION]: revision,
  };
  world.update(SETS, { ...current, metadata: { ...current.metadata, annotations } });
  if (deployment.metadata.annotations?.[REVISION] !== revision) {
    const marked = { ...deployment.metadata.annotations, [REVISION]: revision };
    const metadata = { ...deployment.metadata, annotations: marked };
    // With the status, as the real controller does: on its own it would count as a change of the deployment.
    world.objects.update('deployments.apps', { ...deployment, metadata }, 'status', MANAGER);
  }
}

function scale(world: World, deployment: KubeObject, set: KubeObject, to: number): void {
  const from = replicasOf(set);
  if (from === to) return;
  const latest = world.find(SETS, set.metadata.namespace, set.metadata.name) ?? set;
  world.update(SETS, { ...latest, spec: { ...objOf(latest.spec), replicas: to } });
  announce(world, deployment, set, from, to);
}

function roll(world: World, deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): void {
  const { desired, most, least } = limits(deployment);
  const oldTotal = old.reduce((sum, set) => sum + replicasOf(set), 0);
  const oldPods = old.reduce((sum, set) => sum + numberOf(at(set, 'status', 'replicas')), 0);
  const recreate = at(deployment, 'spec', 'strategy', 'type') === 'Recreate';
  if (recreate && (oldTotal > 0 || oldPods > 0)) {
    for (const set of old) scale(world, deployment, set, 0);
    return;
  }
  const room = most - oldTotal - replicasOf(current);
  const wanted =
    replicasOf(current) > desired ? desired : Math.min(desired, replicasOf(current) + Math.max(0, room));
  scale(world, deployment, current, wanted);
  const notYet = wanted - Math.min(wanted, available(current));
  let surplus = oldTotal + wanted - least - notYet;
  for (const set of old) {
    // Pods that serve nothing can always go.
    const dead = replicasOf(set) - Math.min(replicasOf(set), available(set));
    const take = Math.min(replicasOf(set), Math.max(dead, surplus, 0));
    if (take > 0) scale(world, deployment, set, replicasOf(set) - take);
    surplus -= take;
  }
}

function forget(world: World, deployment: KubeObject, old: readonly KubeObject[]): void {
  const keep = numberOf(at(deployment, 'spec', 'revisionHistoryLimit'), 10);
  const empty = old
    .filter((set) => replicasOf(set) === 0 && numberOf(at(set, 'status', 'replicas')) === 0)
    .sort((a, b) => Number(a.metadata.annotations?.[REVISION]) - Number(b.metadata.annotations?.[REVISION]));
  for (const set of empty.slice(0, Math.max(0, empty.length - keep))) world.remove(SETS, set);
}

function report(world: World, stale: KubeObject, currentName: string): void {
  const { namespace, name } = stale.metadata;
  const deployment = world.find('deployments.apps', namespace, name);
  if (!deployment) return;
  const sets = world.controlled(SETS, deployment);
  const sum = (field: string, of = sets) =>
    of.reduce((all, set) => all + numberOf(at(set, 'status', field)), 0);
  const current = sets.filter((set) => set.metadata.name === currentName);
  const { desired, least } = limits(deployment);
  const [replicas, updated, ready] = [sum('replicas'), sum('replicas', current), sum('readyReplicas')];
  const free = sum('availableReplicas');
  const complete = updated === desired && replicas === desired && free === desired;
  const enough = free >= least;
  let conditions: Obj[] = listOf(at(deployment, 'status', 'conditions')).map(objOf);
  conditions = withUpdate(conditions, world.time, {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  });
  const set = `ReplicaSet "${currentName}"`;
  conditions = withUpdate(conditions, world.time, {
    type: 'Progressing',
    status: 'True',
    reason: complete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
    message: complete ? `${set} has successfully progressed.` : `${set} is progressing.`,
  });
  world.setStatus('deployments.apps', deployment, {
    observedGeneration: deployment.metadata.generation,
    ...counts({
      replicas,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: free,
      unavailableReplicas: Math.max(0, desired - free),
    }),
    terminatingReplicas: sum('terminatingReplicas'),
    conditions,
  });
}

/** Deployment conditions carry a second time, of their last change of any kind. */
function withUpdate(conditions: Obj[], time: string, condition: Obj): Obj[] {
  const old = conditions.find((item) => item.type === condition.type);
  const same =
    old &&
    old.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message;
  const lastUpdateTime = same ? textOf(old.lastUpdateTime) : time;
  return withCondition(conditions, { ...condition, lastUpdateTime }, time);
}
