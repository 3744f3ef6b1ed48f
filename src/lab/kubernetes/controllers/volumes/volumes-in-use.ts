import { at, isObj, listOf, objOf, sameJson, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { isOver } from '../pods/pods.js';
import type { Controller, World } from '../world.js';
import { claimsOf, mountsClaims } from './volume-claims.js';

/** The kubelets tell which volumes their pods use: nothing is detached from a node before it is out of this list. */
export const volumesInUseController: Controller = {
  reconcile(world) {
    for (const { up, description } of world.machines.values()) {
      const node = up ? world.find('nodes', undefined, description.name) : undefined;
      if (!node) continue;
      const known = objOf(node.status);
      const pods = world.podsOn(description.name);
      if (known.volumesInUse === undefined && !pods.some(mountsClaims)) continue;
      const { volumesInUse: old, ...status } = known;
      const volumesInUse = usedBy(world, pods);
      if (sameJson(listOf(old), volumesInUse)) continue;
      world.setStatus(
        'nodes',
        node,
        volumesInUse.length > 0 ? { ...status, volumesInUse } : status,
        'kubelet',
      );
    }
    return undefined;
  },
};

function usedBy(world: World, pods: readonly KubeObject[]): string[] {
  const names = pods
    .filter((pod) => !isOver(pod))
    .flatMap((pod) => claimsOf(world, pod))
    .map(({ volume }) => at(volume, 'spec', 'csi'))
    .filter(isObj)
    .map((source) => `kubernetes.io/csi/${textOf(source.driver)}^${textOf(source.volumeHandle)}`);
  return [...new Set(names)].sort();
}
