import { ownValue } from '../../../../formats/text/mapping.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { quantityValue } from '../../schema/quantity.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import { claimsOf, classOf, SELECTED_NODE } from '../volumes/volume-claims.js';
import { type Controller, type World, withCondition } from '../world.js';
import { nodeFits, selectorTermsFit, untolerated } from './placement.js';
import { isOver } from './pods.js';

const SCHEDULER = 'kube-scheduler';

/** Finds a node for every pod that has none: filters as the real one, then the node with the fewest pods. */
export const schedulerController: Controller = {
  reconcile(world) {
    for (const pod of world.podsOn('')) {
      if (pod.metadata.deletionTimestamp === undefined && !isOver(pod)) schedule(world, pod);
    }
    return undefined;
  },
};

function schedule(world: World, pod: KubeObject): void {
  const reasons = new Map<string, number>();
  const nodes = world.list('nodes');
  const own = madeFor(world, pod);
  const fitting =
    own && misfit(world, pod, own) === undefined
      ? [own]
      : nodes.filter((node) => {
          const reason = misfit(world, pod, node);
          if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
          return reason === undefined;
        });
  const best = leastLoaded(world, fitting);
  const unbound = claimsOf(world, pod).some(({ claim }) => !claim || !isBindable(world, claim));
  const available = `0/${nodes.length} nodes are available`;
  if (unbound) refuse(world, pod, `${available}: pod has unbound immediate PersistentVolumeClaims.`);
  else if (best) bind(world, pod, best);
  else if (nodes.length === 0) refuse(world, pod, 'no nodes available to schedule pods');
  else {
    const list = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
    refuse(world, pod, `${available}: ${list.join(', ')}.`);
  }
}

/** The one node that a daemon's pod can go to: no other has to be looked at while it fits. */
function madeFor(world: World, pod: KubeObject): KubeObject | undefined {
  const required = ['nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
  const [term, ...others] = listOf(at(pod, 'spec', 'affinity', ...required)).map(objOf);
  const [field, ...more] = listOf(term?.matchFields).map(objOf);
  const names = listOf(field?.values);
  if (others.length > 0 || more.length > 0 || names.length !== 1) return undefined;
  if (field?.key !== 'metadata.name' || field.operator !== 'In') return undefined;
  return world.find('nodes', undefined, textOf(names[0]));
}

function leastLoaded(world: World, nodes: readonly KubeObject[]): KubeObject | undefined {
  if (nodes.length < 2) return nodes[0];
  const load = (node: KubeObject) => podsOn(world, node.metadata.name).length;
  const loads = nodes.map((node) => ({ node, load: load(node), name: node.metadata.name }));
  return loads.reduce((best, one) => {
    const better = one.load < best.load || (one.load === best.load && one.name < best.name);
    return better ? one : best;
  }).node;
}

function isBindable(world: World, claim: KubeObject): boolean {
  if (textOf(at(claim, 'spec', 'volumeName')) !== '') return true;
  return classOf(world, claim)?.volumeBindingMode === 'WaitForFirstConsumer';
}

function bind(world: World, pod: KubeObject, node: KubeObject): void {
  const { name } = node.metadata;
  for (const { claim } of claimsOf(world, pod)) {
    if (!claim || textOf(at(claim, 'spec', 'volumeName')) !== '') continue;
    // Tells whoever provisions the volume where it is wanted.
    const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: name };
    world.update(
      'persistentvolumeclaims',
      { ...claim, metadata: { ...claim.metadata, annotations } },
      SCHEDULER,
    );
  }
  world.objects.bind(pod, name);
  const bound = world.find('pods', pod.metadata.namespace, pod.metadata.name);
  if (!bound) return;
  const conditions = withCondition(
    listOf(at(bound, 'status', 'conditions')).filter((item) => objOf(item).type !== 'PodScheduled'),
    { type: 'PodScheduled', status: 'True', lastProbeTime: null },
    world.time,
  );
  world.setStatus('pods', bound, { ...objOf(bound.status), conditions }, SCHEDULER);
  const message = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${name}`;
  world.event(pod, 'Normal', 'Scheduled', message, 'default-scheduler');
}

function refuse(world: World, pod: KubeObject, message: string): void {
  const conditions = withCondition(
    listOf(at(pod, 'status', 'conditions')),
    { type: 'PodScheduled', status: 'False', lastProbeTime: null, reason: 'Unschedulable', message },
    world.time,
  );
  world.setStatus('pods', pod, { ...objOf(pod.status), conditions }, SCHEDULER);
}

/** Why a pod cannot go to a node, in the scheduler's words. */
function misfit(world: World, pod: KubeObject, node: KubeObject): string | undefined {
  const spec = objOf(pod.spec);
  if (at(node, 'spec', 'unschedulable') === true && untolerated(spec, cordoned(node), ['NoSchedule'])) {
    return 'node(s) were unschedulable';
  }
  const taint = untolerated(spec, node, ['NoSchedule', 'NoExecute']);
  if (taint) return `node(s) had untolerated taint {${textOf(taint.key)}: ${textOf(taint.value)}}`;
  if (!nodeFits(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (!volumesFit(world, pod, node)) return 'node(s) had volume node affinity conflict';
  if (!antiAffinityFits(world, pod, node)) return "node(s) didn't match pod anti-affinity rules";
  return insufficient(world, spec, node);
}

function cordoned(node: KubeObject): KubeObject {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return { ...node, spec: { taints: [taint] } };
}

function podsOn(world: World, node: string): KubeObject[] {
  return world.podsOn(node).filter((pod) => !isOver(pod));
}

function volumesFit(world: World, pod: KubeObject, node: KubeObject): boolean {
  return claimsOf(world, pod).every(({ volume }) => {
    const required = at(volume, 'spec', 'nodeAffinity', 'required');
    return !isObj(required) || selectorTermsFit(required, node);
  });
}

function antiAffinityFits(world: World, pod: KubeObject, node: KubeObject): boolean {
  const path = ['spec', 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
  return listOf(at(pod, ...path))
    .map(objOf)
    .every((term) => {
      const key = textOf(term.topologyKey);
      const place = ownValue(node.metadata.labels ?? {}, key);
      const selector = objOf(term.labelSelector);
      return !world.list('pods', pod.metadata.namespace).some((other) => {
        if (isOver(other) || !selectorMatches(selector, other.metadata.labels ?? {})) return false;
        const host = world.find('nodes', undefined, textOf(at(other, 'spec', 'nodeName')));
        return host !== undefined && host.metadata.labels?.[key] === place;
      });
    });
}

function insufficient(world: World, spec: Obj, node: KubeObject): string | undefined {
  const there = podsOn(world, node.metadata.name);
  const room = objOf(at(node, 'status', 'allocatable'));
  const limit = quantityValue(textOf(room.pods));
  if (there.length + 1 > limit) return 'Too many pods';
  for (const resource of ['cpu', 'memory']) {
    const capacity = quantityValue(textOf(room[resource]));
    const used = there.reduce((sum, pod) => sum + requested(objOf(pod.spec), resource), 0);
    if (used + requested(spec, resource) > capacity) return `Insufficient ${resource}`;
  }
  return undefined;
}

function requested(spec: Obj, resource: string): number {
  return listOf(spec.containers)
    .map((container) => quantityValue(textOf(objOf(objOf(objOf(container).resources).requests)[resource])))
    .reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
}
