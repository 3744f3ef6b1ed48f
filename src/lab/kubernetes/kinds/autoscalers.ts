import { at, listOf, type Obj, objOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, invalidValue } from '../status.js';
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

function rangeErrors(spec: Obj): FieldError[] {
  const { minReplicas, maxReplicas } = spec;
  const [min, max] = [Number(minReplicas ?? 1), Number(maxReplicas ?? 0)];
  const errors: FieldError[] = [];
  if (min < 1) errors.push(invalidValue('spec.minReplicas', min, 'must be greater than or equal to 1'));
  if (max < 1) errors.push(invalidValue('spec.maxReplicas', max, 'must be greater than 0'));
  else if (max < min) {
    errors.push(invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

export const autoscalerRules: KindRules = {
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  defaults(draft) {
    const spec: Obj = { minReplicas: 1, ...objOf(draft.spec) };
    const silent = listOf(spec.metrics).length === 0;
    draft.spec = draft.apiVersion === 'autoscaling/v2' && silent ? { ...spec, metrics: [CPU(80)] } : spec;
  },
  validate: (object) => rangeErrors(objOf(object.spec)),
};
