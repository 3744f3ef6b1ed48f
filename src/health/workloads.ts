/** What runs in the cluster, and what would hold up a drain. */
import type { KubePod, ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition, unread } = conditionsOf('kubernetes');

/** A pod that is younger may simply be starting. */
const STARTING_MS = 5 * 60_000;

/** `now` by the cluster's clock. */
export function workloadConditions(observed: ObservedKubernetes, now: number): Condition[] {
  return [workloads(observed), ...failedPods(observed, now), ...budgets(observed)];
}

function workloads(observed: ObservedKubernetes): Condition {
  if (!observed.workloads.known) return unread('workloads-available', observed.workloads.why);
  const all = observed.workloads.value;
  const ill = all.filter(({ wanted, available }) => available < wanted);
  return condition(
    'workloads-available',
    undefined,
    ill.length === 0,
    ill.length === 0
      ? `${all.length} workloads are available`
      : ill
          .map((one) => `${one.kind} ${one.namespace}/${one.name} has ${one.available} of ${one.wanted}`)
          .join('; '),
    ill[0] ? `kubectl -n ${ill[0].namespace} describe ${ill[0].kind.toLowerCase()} ${ill[0].name}` : '',
  );
}

function failedPods(observed: ObservedKubernetes, now: number): Condition[] {
  if (!observed.pods.known) return [unread('pods-running', observed.pods.why)];
  const ill = observed.pods.value.flatMap((pod) => {
    const why = illness(pod, now);
    return why === undefined ? [] : [{ pod, why }];
  });
  if (ill.length === 0)
    return [condition('pods-running', undefined, true, `${observed.pods.value.length} pods`, '')];
  return ill.map(({ pod, why }) =>
    condition(
      pod.waiting === 'CrashLoopBackOff' ? 'pod-crash-looping' : 'pods-running',
      `${pod.namespace}/${pod.name}`,
      false,
      why,
      pod.waiting === 'CrashLoopBackOff'
        ? `kubectl -n ${pod.namespace} logs ${pod.name} --previous`
        : `kubectl -n ${pod.namespace} describe pod ${pod.name}`,
    ),
  );
}

function illness(
  { phase, waiting, restarts, created, ready, message }: KubePod,
  now: number,
): string | undefined {
  if (phase === 'Succeeded') return undefined;
  if (waiting === 'CrashLoopBackOff') return `it crashes again and again (${restarts} restarts)`;
  if (/BackOff|^Err|Invalid/.test(waiting)) return `it waits: ${waiting}${message && `, ${message}`}`;
  if (now - created < STARTING_MS) return undefined;
  if (phase === 'Pending') return `it is pending${message && `: ${message}`}`;
  if (phase === 'Failed') return 'it has failed';
  if (phase === 'Unknown') return 'its node does not report';
  return ready ? undefined : 'it runs, but is not ready';
}

/**
 * A budget that allows no disruption holds up a drain of its pods' nodes. That is its job for as long as Longhorn has a
 * replica there, so it is no illness by itself.
 */
function budgets(observed: ObservedKubernetes): Condition[] {
  if (!observed.budgets.known) return [unread('budgets-allow', observed.budgets.why)];
  const blocking = observed.budgets.value.filter(({ allowed, expected }) => allowed === 0 && expected > 0);
  if (blocking.length === 0)
    return [
      condition('budgets-allow', undefined, true, `${observed.budgets.value.length} disruption budgets`, ''),
    ];
  return blocking.map(({ namespace, name, expected }) => ({
    layer: 'kubernetes',
    name: 'budgets-allow',
    subject: `${namespace}/${name}`,
    state: 'note',
    message: `its disruption budget allows no eviction of its ${expected} pods: a drain of their nodes would wait`,
    advice: `kubectl -n ${namespace} describe pdb ${name}`,
  }));
}
