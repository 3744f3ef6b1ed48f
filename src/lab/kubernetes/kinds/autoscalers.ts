import { at, isObj, listOf, type Obj, objOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { autoscalerErrors } from './checks/autoscalers.js';
import type { KindRules } from './resource-type.js';

/** What version 1 can say of metrics: one share of the CPU. */
const CPU = (percent: unknown) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});

function isCpu(metric: unknown): boolean {
  return (
    at(metric, 'resource', 'name') === 'cpu' && at(metric, 'resource', 'target', 'type') === 'Utilization'
  );
}

export function autoscalerV2(object: KubeObject): KubeObject {
  if (object.apiVersion === 'autoscaling/v2') return object;
  const { targetCPUUtilizationPercentage: percent, ...spec } = objOf(object.spec);
  const metrics = percent === undefined ? {} : { metrics: [CPU(percent)] };
  const { currentCPUUtilizationPercentage: _, ...status } = objOf(object.status);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    spec: { ...spec, ...metrics },
    status: { currentMetrics: null, desiredReplicas: 0, ...status },
  };
}

export function autoscalerV1(object: KubeObject): KubeObject {
  const { metrics, behavior: _, ...spec } = objOf(object.spec);
  const percent = at(listOf(metrics).find(isCpu), 'resource', 'target', 'averageUtilization');
  const { conditions: _c, currentMetrics: _m, ...status } = objOf(object.status);
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    spec: { ...spec, ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }) },
    status: { currentReplicas: 0, desiredReplicas: 0, ...status },
  };
}

const POLICY_PERIOD = 15;
/** How an autoscaler goes up and down where a behaviour says only half of it. */
const BEHAVIOR: Readonly<Record<string, Obj>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: POLICY_PERIOD },
      { type: 'Percent', value: 100, periodSeconds: POLICY_PERIOD },
    ],
  },
  scaleDown: {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: POLICY_PERIOD }],
  },
};

function defaultBehavior(given: Obj): Obj {
  const sides = Object.entries(BEHAVIOR).map(([side, defaults]) => [
    side,
    { ...defaults, ...objOf(given[side]) },
  ]);
  return { ...given, ...Object.fromEntries(sides) };
}

export const autoscalerRules: KindRules = {
  generation: true,
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  defaults(draft) {
    const spec: Obj = { minReplicas: 1, ...objOf(draft.spec) };
    if (isObj(spec.behavior)) spec.behavior = defaultBehavior(spec.behavior);
    const silent = listOf(spec.metrics).length === 0;
    draft.spec = draft.apiVersion === 'autoscaling/v2' && silent ? { ...spec, metrics: [CPU(80)] } : spec;
  },
  validate: (object) => autoscalerErrors(objOf(autoscalerV2(object).spec)),
};
