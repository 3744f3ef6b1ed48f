import { at, listOf, numberOf, type Obj, objOf, sameJson, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { tolerates } from '../pods/placement.js';
import { isOver, isReady } from '../pods/pods.js';
import { type Controller, conditionOf, soonest, type World, withCondition } from '../world.js';
import { leaseOf, renewedAt } from './node-status.js';

/** How long a node may be silent before it is given up. */
const GRACE = 40_000;
const TTL = 'node.alpha.kubernetes.io/ttl';
const PREFIX = 'node.kubernetes.io/';
const MANAGED = ['not-ready', 'unreachable', 'unschedulable'].map((name) => `${PREFIX}${name}`);

/** Nodes that fall silent become Unknown; conditions become taints; taints push pods away. */
export const nodeLifecycleController: Controller = {
  reconcile(world) {
    let next: number | undefined;
    for (const node of world.list('nodes')) next = soonest(next, keep(world, node));
    return next;
  },
};

/** What was seen with a node that needed nothing, and until when that holds if nothing else changes. */
interface AtRest {
  readonly lease: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
  readonly due: number | undefined;
}

const atRest = new WeakMap<KubeObject, AtRest>();

function keep(world: World, node: KubeObject): number | undefined {
  const { name } = node.metadata;
  const pods = world.podsOn(name);
  const lease = leaseOf(world, name);
  const rest = atRest.get(node);
  if (rest && rest.lease === lease && rest.pods === pods)
    if (rest.due === undefined || world.now < rest.due) return rest.due;
  const silentUntil = giveUp(world, node);
  const current = world.find('nodes', undefined, name) ?? node;
  taint(world, current);
  annotate(world, name);
  const evictAt = pushPodsAway(world, world.find('nodes', undefined, name) ?? current);
  const due = soonest(silentUntil, evictAt);
  const unchanged = world.find('nodes', undefined, name) === node && world.podsOn(name) === pods;
  if (unchanged && tainted.has(node)) atRest.set(node, { lease, pods, due });
  return due;
}

/** Answers when the node's silence will have lasted too long. */
function giveUp(world: World, node: KubeObject): number | undefined {
  const deadline = renewedAt(world, node) + GRACE;
  const ready = conditionOf(node, 'Ready');
  if (world.now < deadline) return deadline;
  if (ready?.status === 'Unknown' || !ready) return undefined;
  let conditions = listOf(at(node, 'status', 'conditions')).map(objOf);
  for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
    const unknown = {
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    };
    conditions = withCondition(conditions, unknown, world.time);
  }
  world.setStatus('nodes', node, { ...objOf(node.status), conditions });
  world.event(
    node,
    'Normal',
    'NodeNotReady',
    `Node ${node.metadata.name} status is now: NodeNotReady`,
    'node-controller',
  );
  for (const pod of world.podsOn(node.metadata.name).filter(isReady)) {
    const gone = withCondition(
      listOf(at(pod, 'status', 'conditions')),
      { type: 'Ready', status: 'False', lastProbeTime: null, reason: 'NodeNotReady' },
      world.time,
    );
    world.setStatus('pods', pod, { ...objOf(pod.status), conditions: gone });
  }
  return undefined;
}

/** The node ttl controller: how long kubelets may cache secrets, by the size of the cluster. */
function annotate(world: World, name: string): void {
  const node = world.find('nodes', undefined, name);
  if (!node || node.metadata.annotations?.[TTL] !== undefined) return;
  const annotations = { ...node.metadata.annotations, [TTL]: '0' };
  world.update('nodes', { ...node, metadata: { ...node.metadata, annotations } });
}

/** Nodes whose taints are what their conditions ask for. */
const tainted = new WeakSet<KubeObject>();

function taint(world: World, node: KubeObject): void {
  if (tainted.has(node)) return;
  const status = conditionOf(node, 'Ready')?.status;
  const wanted: { key: string; effect: string }[] = [];
  if (status === 'Unknown') {
    wanted.push(
      { key: `${PREFIX}unreachable`, effect: 'NoSchedule' },
      { key: `${PREFIX}unreachable`, effect: 'NoExecute' },
    );
  } else if (status !== 'True') {
    wanted.push({ key: `${PREFIX}not-ready`, effect: 'NoSchedule' });
    if (status === 'False') wanted.push({ key: `${PREFIX}not-ready`, effect: 'NoExecute' });
  }
  if (at(node, 'spec', 'unschedulable') === true) {
    wanted.push({ key: `${PREFIX}unschedulable`, effect: 'NoSchedule' });
  }
  const old = listOf(at(node, 'spec', 'taints')).map(objOf);
  const kept = old.filter(
    (item) =>
      !MANAGED.includes(textOf(item.key)) ||
      wanted.some((w) => w.key === item.key && w.effect === item.effect),
  );
  const added: Obj[] = wanted
    .filter((w) => !kept.some((item) => item.key === w.key && item.effect === w.effect))
    .map((w) => ({ ...w, timeAdded: world.time }));
  const taints = [...kept, ...added];
  if (sameJson(taints, old)) {
    tainted.add(node);
    return;
  }
  const spec = { ...objOf(node.spec), taints: taints.length > 0 ? taints : undefined };
  world.update('nodes', { ...node, spec });
}

/** Taints NoExecute: pods go after the time they tolerate. Answers when the next one is due. */
function pushPodsAway(world: World, node: KubeObject): number | undefined {
  const taints = listOf(at(node, 'spec', 'taints'))
    .map(objOf)
    .filter((item) => item.effect === 'NoExecute');
  if (taints.length === 0) return undefined;
  const times = world
    .podsOn(node.metadata.name)
    .filter((pod) => !isOver(pod) && pod.metadata.deletionTimestamp === undefined)
    .map((pod) => {
      const due = Math.min(...taints.map((item) => dueAt(pod, item)));
      if (due > world.now) return Number.isFinite(due) ? due : undefined;
      world.remove('pods', pod);
      world.event(
        pod,
        'Normal',
        'TaintManagerEviction',
        `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`,
        'taint-eviction-controller',
      );
      return undefined;
    });
  return soonest(...times);
}

function dueAt(pod: KubeObject, item: Obj): number {
  const tolerations = listOf(at(pod, 'spec', 'tolerations'))
    .map(objOf)
    .filter((toleration) => tolerates(toleration, item));
  if (tolerations.length === 0) return 0;
  const since = Date.parse(textOf(item.timeAdded)) || 0;
  const seconds = tolerations.map((toleration) =>
    toleration.tolerationSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : numberOf(toleration.tolerationSeconds),
  );
  return since + Math.min(...seconds) * 1000;
}
