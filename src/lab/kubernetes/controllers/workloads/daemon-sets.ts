import { at, listOf, numberOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { nodeFits, untolerated } from '../pods/placement.js';
import { counts, isActive, isAvailable, isOver, isReady, podFrom, share } from '../pods/pods.js';
import { type Controller, ownerReference, type World } from '../world.js';
import { keepRevisions, revisionHash } from './revisions.js';

const SETS = 'daemonsets.apps';
const HASH = 'controller-revision-hash';

/** What a daemon lives with on any node (`pkg/controller/daemon/util`). */
const DAEMON_TOLERATIONS: readonly Obj[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** Daemon sets: one pod on every node that fits. */
export const daemonSetController: Controller = {
  reconcile(world) {
    for (const set of world.list(SETS)) {
      const hash = revisionHash(world, set);
      if (set.metadata.deletionTimestamp === undefined) {
        keepRevisions(world, set, hash, HASH, (of) => `${set.metadata.name}-${of}`);
        spread(world, set, hash);
      }
      report(world, set, hash);
    }
    return undefined;
  },
};

function podSpec(set: KubeObject): Obj {
  const spec = objOf(at(set, 'spec', 'template', 'spec'));
  const network: Obj[] =
    spec.hostNetwork === true
      ? [{ key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }]
      : [];
  return { ...spec, tolerations: [...listOf(spec.tolerations), ...DAEMON_TOLERATIONS, ...network] };
}

/** The names of the nodes that a set wants a pod on. */
function wantedNodes(world: World, set: KubeObject): ReadonlySet<string> {
  const fits = fitsOf(set);
  const nodes = world.list('nodes');
  if (fits.wanted?.of === nodes) return fits.wanted.names;
  const wanted = nodes.filter((node) => {
    const known = fits.nodes.get(node);
    if (known !== undefined) return known;
    const fit =
      nodeFits(fits.spec, node) && untolerated(fits.spec, node, ['NoSchedule', 'NoExecute']) === undefined;
    fits.nodes.set(node, fit);
    return fit;
  });
  const names = new Set(wanted.map((node) => node.metadata.name));
  fits.wanted = { of: nodes, names };
  return names;
}

interface Fits {
  readonly spec: Obj;
  readonly nodes: WeakMap<KubeObject, boolean>;
  /** Of the list that was looked at last. */
  wanted?: { readonly of: readonly KubeObject[]; readonly names: ReadonlySet<string> };
}

/** What follows from a set's spec, made once of each. */
const known = new Map<string, Fits>();
const MOST_KNOWN = 200;

function fitsOf(set: KubeObject): Fits {
  const key = JSON.stringify(set.spec);
  const found = known.get(key);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const fits: Fits = { spec: podSpec(set), nodes: new WeakMap<KubeObject, boolean>() };
  known.set(key, fits);
  return fits;
}

const madeFor = new WeakMap<KubeObject, string>();

/** The node a daemon's pod is made for, scheduled or not. */
function nodeOf(pod: KubeObject): string {
  let node = madeFor.get(pod);
  if (node === undefined) {
    node = textOf(at(pod, 'spec', 'nodeName')) || pinnedTo(pod);
    madeFor.set(pod, node);
  }
  return node;
}

function pinnedTo(pod: KubeObject): string {
  const affinity = at(
    pod,
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
  );
  const term = objOf(listOf(at(affinity, 'nodeSelectorTerms'))[0]);
  return textOf(listOf(objOf(listOf(term.matchFields)[0]).values)[0]);
}

function spread(world: World, set: KubeObject, hash: string): void {
  const wanted = wantedNodes(world, set);
  const served = new Set<string>();
  for (const pod of world.controlled('pods', set)) {
    const node = nodeOf(pod);
    served.add(node);
    const misplaced = !wanted.has(node) && world.find('nodes', undefined, node) !== undefined;
    if (isOver(pod) || misplaced) world.remove('pods', pod);
  }
  for (const node of wanted) if (!served.has(node)) createPod(world, set, node, hash);
  rollOver(world, set, hash, wanted.size);
}

function createPod(world: World, set: KubeObject, node: string, hash: string): void {
  const template = { ...objOf(at(set, 'spec', 'template')), spec: pinned(podSpec(set), node) };
  const owner = ownerReference(set);
  const extra = {
    generateName: `${set.metadata.name}-`,
    labels: { [HASH]: hash, 'pod-template-generation': String(set.metadata.generation ?? 1) },
  };
  world.create('pods', set.metadata.namespace, podFrom(template, owner, extra));
}

function pinned(spec: Obj, node: string): Obj {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return { ...spec, affinity: { ...objOf(spec.affinity), nodeAffinity } };
}

/** Old pods go within maxUnavailable; those that are not ready first. */
function rollOver(world: World, set: KubeObject, hash: string, desired: number): void {
  const strategy = objOf(at(set, 'spec', 'updateStrategy'));
  if (strategy.type !== 'RollingUpdate') return;
  const pods = world.controlled('pods', set).filter(isActive);
  const old = pods.filter((pod) => pod.metadata.labels?.[HASH] !== hash);
  if (old.length === 0) return;
  const limit = Math.max(1, share(objOf(strategy.rollingUpdate).maxUnavailable, desired, 'up'));
  let room = limit - (desired - pods.filter(isReady).length);
  for (const pod of old) {
    if (!isReady(pod)) world.remove('pods', pod);
    else if (room > 0) {
      world.remove('pods', pod);
      room -= 1;
    }
  }
}

function report(world: World, set: KubeObject, hash: string): void {
  const wanted = wantedNodes(world, set);
  const pods = world.controlled('pods', set).filter(isActive);
  const placed = pods.filter((pod) => wanted.has(nodeOf(pod)));
  const wait = numberOf(at(set, 'spec', 'minReadySeconds'));
  const free = placed.filter((pod) => isAvailable(pod, wait, world.now)).length;
  world.setStatus(SETS, set, {
    currentNumberScheduled: placed.length,
    numberMisscheduled: pods.length - placed.length,
    desiredNumberScheduled: wanted.size,
    numberReady: placed.filter(isReady).length,
    observedGeneration: set.metadata.generation,
    ...counts({
      updatedNumberScheduled: placed.filter((pod) => pod.metadata.labels?.[HASH] === hash).length,
      numberAvailable: free,
      numberUnavailable: wanted.size - free,
    }),
  });
}
