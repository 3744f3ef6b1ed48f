import { at, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { type World, withCondition } from '../world.js';

/** The kubelet's conditions of a pod whose containers are all ready, or not. */
export function conditionsOf(pod: KubeObject, time: string, ready: boolean, initialized = true): Obj[] {
  let conditions = listOf(at(pod, 'status', 'conditions')).map(objOf);
  const set = (type: string, holds: boolean, more: Obj = {}) => {
    const condition = {
      type,
      status: holds ? 'True' : 'False',
      lastProbeTime: null,
      reason: undefined,
      message: undefined,
      ...more,
    };
    conditions = withCondition(conditions, condition, time);
  };
  const missing = ready
    ? {}
    : {
        reason: 'ContainersNotReady',
        message: `containers with unready status: [${containerNames(pod).join(' ')}]`,
      };
  set('PodReadyToStartContainers', ready);
  set('Initialized', initialized);
  set('Ready', ready, missing);
  set('ContainersReady', ready, missing);
  set('PodScheduled', true);
  return conditions;
}

function containerNames(pod: KubeObject): string[] {
  return listOf(at(pod, 'spec', 'containers')).map((container) => textOf(objOf(container).name));
}

/** The node's own address, or one of the pod network that no one has. */
export function address(world: World, pod: KubeObject): string {
  const node = world.find('nodes', undefined, textOf(at(pod, 'spec', 'nodeName')));
  if (at(pod, 'spec', 'hostNetwork') === true) return hostAddress(node);
  const known = textOf(at(pod, 'status', 'podIP'));
  if (known !== '') return known;
  const taken = new Set(world.list('pods').map((other) => textOf(at(other, 'status', 'podIP'))));
  const nodes = world.list('nodes').map((other) => other.metadata.name);
  const third = nodes.indexOf(node?.metadata.name ?? '') % 256;
  for (let last = 2; last < 255; last += 1) {
    const candidate = `10.244.${third}.${last}`;
    if (!taken.has(candidate)) return candidate;
  }
  return '10.244.255.254';
}

export function hostAddress(node: KubeObject | undefined): string {
  const found = listOf(at(node, 'status', 'addresses')).find((item) => objOf(item).type === 'InternalIP');
  return textOf(objOf(found).address);
}
