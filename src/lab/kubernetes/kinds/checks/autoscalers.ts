import { ownValue } from '../../../../formats/text/mapping.js';
import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { parseQuantity } from '../../schema/quantity.js';
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { each, faultsAt, ifSaid } from './fields.js';
import { dnsLabelFaults, pathSegmentFaults } from './texts.js';

/** `validateHorizontalPodAutoscalerSpec`; the checks that are generated from the types come last. */
export function autoscalerErrors(spec: Obj): FieldError[] {
  const { minReplicas, maxReplicas } = spec;
  const [min, max] = [Number(minReplicas ?? 1), Number(maxReplicas ?? 0)];
  const order = 'must be greater than or equal to `minReplicas`';
  return [
    ...(max < min ? [invalidValue('spec.maxReplicas', max, order)] : []),
    ...referenceErrors(objOf(spec.scaleTargetRef), 'spec.scaleTargetRef'),
    ...metricsErrors(spec, min),
    ...behaviorErrors(objOf(spec.behavior)),
    ...(min < 0 ? [invalidValue('spec.minReplicas', min, 'must be greater than or equal to 0')] : []),
    ...(max === 0 ? [requiredValue('spec.maxReplicas')] : []),
    ...(max < 0 ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to 1')] : []),
  ];
}

function referenceErrors(ref: Obj, field: string): FieldError[] {
  const version = textOf(ref.apiVersion);
  const group = version.includes('/') ? version.split('/')[0] : '';
  const named = ['kind', 'name'].flatMap((part) => {
    const text = textOf(ref[part]);
    return text === ''
      ? [requiredValue(`${field}.${part}`)]
      : faultsAt(`${field}.${part}`, text, pathSegmentFaults(text));
  });
  const core =
    group === '' ? [invalidValue(`${field}.apiVersion`, version, 'apiVersion must specify API group')] : [];
  return [...named, ...core];
}

function metricsErrors(spec: Obj, min: number): FieldError[] {
  const metrics = listOf(spec.metrics).map(objOf);
  const errors = each(metrics, 'spec.metrics', metricErrors);
  const others = metrics.some(({ type }) => type === 'Object' || type === 'External');
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return min === 0 && !others ? [...errors, forbiddenValue('spec.metrics', detail)] : errors;
}

/** Metric type → the field of its source, in the order in which they are looked at. */
const SOURCES: Readonly<Record<string, string>> = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metricErrors(metric: Obj, place: string): FieldError[] {
  const type = textOf(metric.type);
  const given = Object.values(SOURCES).filter((source) => isObj(metric[source]));
  const wanted = ownValue(SOURCES, type);
  const known = Object.keys(SOURCES).sort();
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredValue(`${place}.type`, 'must specify a metric source type'));
  if (!wanted) errors.push(unsupportedValue(`${place}.type`, type, known));
  const [first] = given;
  if (first) errors.push(...sourceErrors(first, objOf(metric[first]), `${place}.${first}`));
  if (wanted && !isObj(metric[wanted])) {
    const detail = 'must populate information for the given metric source';
    errors.push(requiredValue(`${place}.${wanted}`, detail));
  }
  if (given.length === 1) return errors;
  const only = 'must populate the given metric source only';
  return [
    ...errors,
    ...given
      .filter((source) => source !== wanted)
      .map((source) => forbiddenValue(`${place}.${source}`, only)),
  ];
}

function sourceErrors(kind: string, source: Obj, field: string): FieldError[] {
  const target = objOf(source.target);
  const [value, average, share] = [target.value, target.averageValue, target.averageUtilization];
  const place = `${field}.target`;
  const errors = targetErrors(target, place);
  if (kind === 'resource' || kind === 'containerResource') {
    const named = resourceErrors(kind, source, field);
    const none = 'must set either a target raw value or a target utilization';
    const both = 'may not set both a target raw value and a target utilization';
    const lacks = share === undefined && average === undefined;
    return [
      ...named,
      ...errors,
      ...(lacks ? [requiredValue(`${place}.averageUtilization`, none)] : []),
      ...(share !== undefined && average !== undefined
        ? [forbiddenValue(`${place}.averageValue`, both)]
        : []),
    ];
  }
  const described =
    kind === 'object' ? referenceErrors(objOf(source.describedObject), `${field}.describedObject`) : [];
  const all = [...described, ...identifierErrors(objOf(source.metric), `${field}.metric`), ...errors];
  if (kind === 'pods') {
    const detail = 'must specify a positive target averageValue';
    return average === undefined ? [...all, requiredValue(`${place}.averageValue`, detail)] : all;
  }
  const none =
    kind === 'object'
      ? 'must set either a target value or averageValue'
      : 'must set either a target value for metric or a per-pod target';
  if (value === undefined && average === undefined) all.push(requiredValue(`${place}.averageValue`, none));
  if (kind === 'external' && value !== undefined && average !== undefined) {
    const detail = 'may not set both a target value for metric and a per-pod target';
    all.push(forbiddenValue(`${place}.value`, detail));
  }
  return all;
}

function resourceErrors(kind: string, source: Obj, field: string): FieldError[] {
  const errors =
    textOf(source.name) === '' ? [requiredValue(`${field}.name`, 'must specify a resource name')] : [];
  if (kind === 'resource') return errors;
  const container = textOf(source.container);
  return container === ''
    ? [...errors, requiredValue(`${field}.container`, 'must specify a container')]
    : [...errors, ...faultsAt(`${field}.container`, container, dnsLabelFaults(container))];
}

function identifierErrors({ name }: Obj, field: string): FieldError[] {
  const text = textOf(name);
  return text === ''
    ? [requiredValue(`${field}.name`, 'must specify a metric name')]
    : faultsAt(`${field}.name`, text, pathSegmentFaults(text));
}

function targetErrors(target: Obj, field: string): FieldError[] {
  const type = textOf(target.type);
  const errors = type === '' ? [requiredValue(`${field}.type`, 'must specify a metric target type')] : [];
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    const detail = 'must be either Utilization, Value, or AverageValue';
    errors.push(invalidValue(`${field}.type`, type, detail));
  }
  for (const name of ['value', 'averageValue']) {
    const nano = target[name] === undefined ? 1n : (parseQuantity(String(target[name]))?.nano ?? 0n);
    if (nano <= 0n) errors.push(invalidValue(`${field}.${name}`, target[name], 'must be positive'));
  }
  const share = target.averageUtilization;
  return typeof share === 'number' && share < 1
    ? [...errors, invalidValue(`${field}.averageUtilization`, share, 'must be greater than 0')]
    : errors;
}

function behaviorErrors(behavior: Obj): FieldError[] {
  return ['scaleUp', 'scaleDown'].flatMap((side) => {
    if (!isObj(behavior[side])) return [];
    const rules = objOf(behavior[side]);
    const field = `spec.behavior.${side}`;
    const window = rules.stabilizationWindowSeconds;
    const place = `${field}.stabilizationWindowSeconds`;
    return [
      ...(typeof window === 'number' && window < 0
        ? [invalidValue(place, window, 'must be greater than or equal to zero')]
        : []),
      ...(typeof window === 'number' && window > 3600
        ? [invalidValue(place, window, 'must be less than or equal to 3600')]
        : []),
      ...ifSaid(rules.selectPolicy, ['Disabled', 'Max', 'Min'], `${field}.selectPolicy`),
      ...(listOf(rules.policies).length === 0
        ? [requiredValue(`${field}.policies`, 'must specify at least one Policy')]
        : []),
      ...each(rules.policies, `${field}.policies`, policyErrors),
    ];
  });
}

function policyErrors({ type, value, periodSeconds }: Obj, place: string): FieldError[] {
  const positive = (number: unknown, name: string) =>
    Number(number ?? 0) > 0
      ? []
      : [invalidValue(`${place}.${name}`, number ?? 0, 'must be greater than zero')];
  const long = Number(periodSeconds ?? 0) > 1800;
  return [
    ...ifSaid(type ?? '', ['Percent', 'Pods'], `${place}.type`),
    ...positive(value, 'value'),
    ...positive(periodSeconds, 'periodSeconds'),
    ...(long
      ? [invalidValue(`${place}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800')]
      : []),
  ];
}
