import { disruptionCondition } from '../../api/eviction.js';
import { at, isObj, listOf, objOf, textOf } from '../../json.js';
import { controllerOf, type KubeObject } from '../../object.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import { type Controller, soonest, type World } from '../world.js';
import { isActive, isReady, share } from './pods.js';

const BUDGETS = 'poddisruptionbudgets.policy';
/** How long an eviction that came to nothing is remembered. */
const MEMORY = 2 * 60_000;

/** Disruption budgets: how many pods may go now (`pkg/controller/disruption`). */
export const budgetController: Controller = {
  reconcile: (world) => soonest(...world.list(BUDGETS).map((budget) => count(world, budget))),
};

function count(world: World, budget: KubeObject): number | undefined {
  const selector = at(budget, 'spec', 'selector');
  const { namespace, generation = 1 } = budget.metadata;
  const pods = world
    .list('pods', namespace)
    .filter(
      (pod) => isActive(pod) && isObj(selector) && selectorMatches(selector, pod.metadata.labels ?? {}),
    );
  const { expected, desired } = wanted(world, budget, pods);
  const disrupted = stillDisrupted(world, budget, pods);
  const healthy = pods.filter((pod) => isReady(pod) && disrupted[pod.metadata.name] === undefined).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const old = listOf(at(budget, 'status', 'conditions')).map(objOf)[0];
  const since =
    old?.status === (allowed > 0 ? 'True' : 'False') ? textOf(old.lastTransitionTime) : world.time;
  world.setStatus(BUDGETS, budget, {
    observedGeneration: generation,
    ...(Object.keys(disrupted).length > 0 ? { disruptedPods: disrupted } : {}),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: [disruptionCondition(generation, allowed > 0, since)],
  });
  const times = Object.values(disrupted).map((time) => Date.parse(time) + MEMORY);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function wanted(
  world: World,
  budget: KubeObject,
  pods: readonly KubeObject[],
): { expected: number; desired: number } {
  const { minAvailable, maxUnavailable } = objOf(budget.spec);
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  const expected = scaleOf(world, pods);
  if (minAvailable !== undefined) return { expected, desired: share(minAvailable, expected, 'up') };
  return { expected, desired: Math.max(0, expected - share(maxUnavailable ?? 0, expected, 'up')) };
}

/** How many pods the controllers behind these pods want. */
function scaleOf(world: World, pods: readonly KubeObject[]): number {
  const owners = new Map<string, number>();
  let alone = 0;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) {
      alone += 1;
      continue;
    }
    const found = world.find(`${owner.kind.toLowerCase()}s.apps`, pod.metadata.namespace, owner.name);
    const replicas = at(found, 'spec', 'replicas');
    owners.set(owner.uid, typeof replicas === 'number' ? replicas : (owners.get(owner.uid) ?? 0) + 1);
  }
  return [...owners.values()].reduce((sum, value) => sum + value, alone);
}

/** Pods that were allowed to go and have not yet begun to. */
function stillDisrupted(
  world: World,
  budget: KubeObject,
  pods: readonly KubeObject[],
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, time] of Object.entries(objOf(at(budget, 'status', 'disruptedPods')))) {
    const there = pods.some((pod) => pod.metadata.name === name);
    if (there && Date.parse(textOf(time)) + MEMORY > world.now) out[name] = textOf(time);
  }
  return out;
}
