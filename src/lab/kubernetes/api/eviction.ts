import type { Faults } from '../../faults.js';
import { at, isObj, listOf, numberOf, type Obj, objOf, textOf } from '../json.js';
import { type KubeObject, timeText } from '../object.js';
import { builtInSchema } from '../schema/built-in.js';
import { selectorMatches } from '../selectors/object-selector.js';
import { ApiError, badRequest } from '../status.js';
import { checkFields } from './decode.js';
import type { KubeApi, Target } from './kube-api.js';
import { type DeleteOptions, deleteOptions, internalWrite, type WriteOptions } from './options.js';

const EVICTION = builtInSchema('policy.Eviction');
const BUDGETS = 'poddisruptionbudgets.policy';
const MESSAGE = "Cannot evict pod as it would violate the pod's disruption budget.";

/** A delete that asks the disruption budgets first (`pkg/registry/core/pod/storage/eviction.go`). */
export function evict(
  api: KubeApi,
  target: Target,
  body: unknown,
  query: URLSearchParams,
  faults: Faults,
  options: WriteOptions,
): void {
  checkEviction(target, objOf(body), options);
  const pod = api.get(target);
  const how = deleteOptions(at(body, 'deleteOptions'), query);
  const node = textOf(at(pod, 'spec', 'nodeName'));
  if (faults.holds('drain-held', target.name, `${target.namespace}/${target.name}`, node)) {
    throw tooMany('A disruption budget does not allow evicting pods currently');
  }
  if (!needsNoBudget(pod)) askBudget(api, pod, how.dryRun);
  end(api, target, pod, how);
}

function checkEviction({ name, namespace }: Target, body: Obj, options: WriteOptions): void {
  const { kind = 'Eviction', apiVersion = 'policy/v1' } = body;
  if (kind !== 'Eviction') {
    const version = textOf(apiVersion).split('/').at(-1) ?? '';
    throw badRequest(
      `${textOf(kind)} in version "${version}" cannot be handled as a Eviction: converting (${version}.${textOf(kind)}) to (policy.Eviction): unknown conversion`,
    );
  }
  checkFields('Eviction', EVICTION, body, options);
  const metadata = objOf(body.metadata);
  if (textOf(metadata.namespace) !== '' && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
}

function askBudget(api: KubeApi, pod: KubeObject, dryRun: boolean): void {
  const budgets = api.objects.list(BUDGETS, pod.metadata.namespace).filter((budget) => selects(budget, pod));
  const [budget, second] = budgets;
  if (second) {
    const why =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError(500, 'InternalError', `Internal error occurred: ${why}`);
  }
  if (budget && !(isUnready(pod) && toleratesUnready(budget))) spend(api, budget, pod, dryRun);
}

function needsNoBudget(pod: KubeObject): boolean {
  const phase = at(pod, 'status', 'phase');
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
}

function selects(budget: KubeObject, pod: KubeObject): boolean {
  const selector = at(budget, 'spec', 'selector');
  return isObj(selector) && selectorMatches(selector, pod.metadata.labels ?? {});
}

function isUnready(pod: KubeObject): boolean {
  const ready = listOf(at(pod, 'status', 'conditions')).find(
    (condition) => objOf(condition).type === 'Ready',
  );
  return objOf(ready).status !== 'True';
}

/** A pod that is not ready is no loss while enough others are. */
function toleratesUnready(budget: KubeObject): boolean {
  if (at(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const status = objOf(budget.status);
  const desired = numberOf(status.desiredHealthy);
  return desired > 0 && numberOf(status.currentHealthy) >= desired;
}

function spend(api: KubeApi, budget: KubeObject, pod: KubeObject, dryRun: boolean): void {
  const { name, generation = 0 } = budget.metadata;
  const status = objOf(budget.status);
  if (numberOf(status.observedGeneration) < generation) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = numberOf(status.disruptionsAllowed);
  const [current, desired] = [numberOf(status.currentHealthy), numberOf(status.desiredHealthy)];
  if (allowed <= 0) {
    throw tooMany(
      current <= desired
        ? `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`,
    );
  }
  if (dryRun) return;
  const time = timeText(api.now);
  const spent: Obj = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...objOf(status.disruptedPods), [pod.metadata.name]: time },
  };
  if (allowed === 1) spent.conditions = [disruptionCondition(generation, false, time)];
  const { name: of, namespace } = budget.metadata;
  const target = { type: api.type(BUDGETS), namespace, name: of, subresource: 'status' };
  api.replace(target, budget, { ...budget, status: spent }, internalWrite('kube-apiserver'));
}

export function disruptionCondition(observedGeneration: number, allowed: boolean, time: string): Obj {
  return {
    type: 'DisruptionAllowed',
    status: allowed ? 'True' : 'False',
    observedGeneration,
    lastTransitionTime: time,
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
}

function end(api: KubeApi, target: Target, pod: KubeObject, options: DeleteOptions): void {
  if (!options.dryRun && pod.metadata.deletionTimestamp === undefined) {
    const conditions = listOf(at(pod, 'status', 'conditions')).filter(
      (condition) => objOf(condition).type !== 'DisruptionTarget',
    );
    const reason: Obj = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timeText(api.now),
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    const status = { ...objOf(pod.status), conditions: [...conditions, reason] };
    api.objects.put('pods', { ...pod, status });
  }
  api.delete(target, options);
}

function tooMany(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError(429, 'TooManyRequests', MESSAGE, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
