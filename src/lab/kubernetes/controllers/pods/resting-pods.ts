import { at, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { mountsClaims } from '../volumes/volume-claims.js';
import type { Machine, World } from '../world.js';

/** Where a pod was when there was nothing to do for it. */
interface Surroundings {
  readonly nodeName: string;
  readonly machine: Machine | undefined;
  readonly node: KubeObject | undefined;
}

const resting = new WeakMap<KubeObject, Surroundings>();

/** All pods are looked at in each round, and nearly all of them run as they did before. */
export function rests(world: World, pod: KubeObject): boolean {
  const around = resting.get(pod);
  return (
    around !== undefined &&
    world.machines.get(around.nodeName) === around.machine &&
    world.find('nodes', undefined, around.nodeName) === around.node
  );
}

/** Time alone changes nothing for a pod that runs and mounts no claims. */
export function layToRest(world: World, pod: KubeObject): void {
  if (mountsClaims(pod)) return;
  const nodeName = textOf(at(pod, 'spec', 'nodeName'));
  const machine = world.machines.get(nodeName);
  resting.set(pod, { nodeName, machine, node: world.find('nodes', undefined, nodeName) });
}
