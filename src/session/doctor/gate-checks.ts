/** Gates of a cluster that runs: one whose resource is not served stops every disruption. */
import type { Config } from '../../config/config.js';
import { unservedGate } from '../../observe/observed-gates.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import { type Check, fail, ok } from './check.js';

export function gateChecks({ policy: { gates } }: Config, seen: ObservedKubernetes['gates']): Check[] {
  return gates.flatMap((gate): Check[] => {
    const objects = seen[gate.name];
    if (!objects?.known) return [];
    const unserved = unservedGate(gate, objects);
    if (unserved)
      return [fail('gates', `gate ${gate.name} is ${unserved.message}`, `To fix it, ${unserved.advice}.`)];
    return objects.value.served
      ? [ok('gates', `gate ${gate.name}: the cluster serves ${gate.resource}`)]
      : [ok('gates', `gate ${gate.name} is open: the cluster does not serve ${gate.resource} yet`)];
  });
}
