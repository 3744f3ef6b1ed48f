/** PodDisruptionBudgets as they are really kept: by pods that serve. */
import { numberOf, objOf } from '../kubernetes/json.js';
import type { KubeObject } from '../kubernetes/object.js';
import { selectorMatches } from '../kubernetes/selectors/object-selector.js';

interface SeenBudget {
  /** `namespace/name` */
  readonly name: string;
  /** How many pods it wants now. */
  readonly wants: number;
  readonly serve: number;
}

/** A pod counts while it is Ready and its machine is up: Kubernetes itself notices a lost node only later. */
export function budgetsIn(
  objects: { list(resource: string): readonly KubeObject[] },
  workingNodes: ReadonlySet<string>,
): SeenBudget[] {
  const budgets = objects.list('poddisruptionbudgets.policy');
  if (budgets.length === 0) return [];
  const ready = objects
    .list('pods')
    .filter((pod) => isReady(pod) && workingNodes.has(String(objOf(pod.spec).nodeName)));
  return budgets.map(({ metadata: { name, namespace }, spec, status }) => ({
    name: `${namespace}/${name}`,
    wants: numberOf(objOf(status).desiredHealthy),
    serve: ready.filter(
      ({ metadata }) =>
        metadata.namespace === namespace &&
        selectorMatches(objOf(objOf(spec).selector), metadata.labels ?? {}),
    ).length,
  }));
}

function isReady(pod: KubeObject): boolean {
  const { conditions = [] } = (pod.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return (
    pod.metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}
