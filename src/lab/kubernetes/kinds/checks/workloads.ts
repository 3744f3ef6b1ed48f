import { at, isObj, listOf, type Obj, objOf, stringsOf, textOf } from '../../json.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { claimSpecErrors } from './claims.js';
import {
  annotationKeyErrors,
  faultsAt,
  isEmptySelector,
  labelsErrors,
  notNegative,
  selectorErrors,
} from './fields.js';
import { podSpecErrors } from './pod-spec.js';
import { dnsLabelFaults, percentFaults } from './texts.js';

/** A number, or a share such as `25%`. */
export function countOrShareErrors(value: unknown, field: string): FieldError[] {
  return typeof value === 'string' ? faultsAt(field, value, percentFaults(value)) : notNegative(value, field);
}

export function atMostAll(value: unknown, field: string): FieldError[] {
  return typeof value === 'string' && /^\d+%$/.test(value) && Number.parseInt(value, 10) > 100
    ? [invalidValue(field, value, 'must not be greater than 100%')]
    : [];
}

/** As Go reads it: what is no number counts as nothing. */
function amount(value: unknown): number {
  return typeof value === 'number' ? value : Number.parseInt(textOf(value), 10) || 0;
}

/** Labels, annotations and spec of the pods to come. */
export function templateErrors(template: Obj, field: string, more: readonly string[] = []): FieldError[] {
  const { labels, annotations } = objOf(template.metadata);
  const ephemeral = listOf(at(template, 'spec', 'ephemeralContainers')).length > 0;
  const detail = 'ephemeral containers not allowed in pod template';
  return [
    ...labelsErrors(labels, `${field}.labels`),
    ...annotationKeyErrors(annotations, `${field}.annotations`),
    ...podSpecErrors(objOf(template.spec), `${field}.spec`, { more }),
    ...(ephemeral ? [forbiddenValue(`${field}.spec.ephemeralContainers`, detail)] : []),
  ];
}

function matchErrors(spec: Obj): FieldError[] {
  if (selectorErrors(spec.selector, '').length > 0) return [];
  const labels = at(spec, 'template', 'metadata', 'labels');
  const detail = '`selector` does not match template `labels`';
  // No selector selects nothing, an empty one everything.
  return isObj(spec.selector) && selectorMatches(spec.selector, stringsOf(labels))
    ? []
    : [invalidValue('spec.template.metadata.labels', labels, detail)];
}

/** Pods of a workload run for ever. */
function foreverErrors(spec: Obj, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = objOf(at(spec, 'template', 'spec'));
  const field = 'spec.template.spec';
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [unsupportedValue(`${field}.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbiddenValue(`${field}.activeDeadlineSeconds`, detail)]),
  ];
}

/** The selector itself; `kind` as the complaint names it. */
function ownSelectorErrors({ selector }: Obj, kind: string): FieldError[] {
  if (!isObj(selector)) return [requiredValue('spec.selector')];
  const errors = selectorErrors(selector, 'spec.selector');
  return isEmptySelector(selector)
    ? [...errors, invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)]
    : errors;
}

/** The template of a deployment or a replica set. */
function replicaTemplateErrors(spec: Obj): FieldError[] {
  if (isObj(spec.selector) && hasUnknownOperator(spec.selector)) {
    return [invalidValue('spec.selector', spec.selector, 'invalid label selector')];
  }
  return [
    ...(isEmptySelector(spec.selector) ? [] : matchErrors(spec)),
    ...templateErrors(objOf(spec.template), 'spec.template'),
    ...foreverErrors(spec, 'ReplicaSet'),
  ];
}

function hasUnknownOperator(selector: unknown): boolean {
  return selectorErrors(selector, '').some(({ field }) => field.endsWith('.operator'));
}

export function deploymentErrors(spec: Obj): FieldError[] {
  const { minReadySeconds, progressDeadlineSeconds: deadline } = spec;
  const place = 'spec.progressDeadlineSeconds';
  const late = typeof deadline === 'number' && deadline <= Number(minReadySeconds ?? 0);
  return [
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...ownSelectorErrors(spec, 'deployment'),
    ...replicaTemplateErrors(spec),
    ...strategyErrors(objOf(spec.strategy)),
    ...notNegative(minReadySeconds, 'spec.minReadySeconds'),
    ...notNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...notNegative(deadline, place),
    ...(late ? [invalidValue(place, deadline, 'must be greater than minReadySeconds')] : []),
  ];
}

function strategyErrors(strategy: Obj): FieldError[] {
  const field = 'spec.strategy';
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return isObj(rollingUpdate) ? [forbiddenValue(`${field}.rollingUpdate`, detail)] : [];
  }
  if (type !== 'RollingUpdate') {
    return [unsupportedValue(field, shownStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  }
  const { maxUnavailable, maxSurge } = objOf(rollingUpdate);
  const place = `${field}.rollingUpdate`;
  const none = amount(maxUnavailable) === 0 && amount(maxSurge) === 0;
  const detail = 'may not be 0 when `maxSurge` is 0';
  return [
    ...countOrShareErrors(maxUnavailable, `${place}.maxUnavailable`),
    ...countOrShareErrors(maxSurge, `${place}.maxSurge`),
    ...(none ? [invalidValue(`${place}.maxUnavailable`, maxUnavailable, detail)] : []),
    ...atMostAll(maxUnavailable, `${place}.maxUnavailable`),
  ];
}

/** A strategy as Go shows it. */
function shownStrategy({ type, rollingUpdate }: Obj): Obj {
  const given = isObj(rollingUpdate) ? rollingUpdate : undefined;
  const shown = given && { MaxUnavailable: given.maxUnavailable ?? 0, MaxSurge: given.maxSurge ?? 0 };
  return { Type: type, RollingUpdate: shown ?? null };
}

export function replicaSetErrors(spec: Obj): FieldError[] {
  return [
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...ownSelectorErrors(spec, 'deployment'),
    ...replicaTemplateErrors(spec),
  ];
}

/** A replication controller's selector is a plain map of labels. */
export function replicationControllerErrors(spec: Obj): FieldError[] {
  const selector = objOf(spec.selector);
  const none = Object.keys(selector).length === 0;
  const labels = stringsOf(at(spec, 'template', 'metadata', 'labels'));
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value);
  const detail = '`selector` does not match template `labels`';
  return [
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...(none ? [requiredValue('spec.selector')] : []),
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...(isObj(spec.template) ? [] : [requiredValue('spec.template')]),
    ...(none || matches ? [] : [invalidValue('spec.template.metadata.labels', labels, detail)]),
    ...templateErrors(objOf(spec.template), 'spec.template'),
    ...foreverErrors(spec, 'ReplicationController'),
  ];
}

export function daemonSetErrors(spec: Obj): FieldError[] {
  const { selector } = spec;
  const detail = 'empty selector is invalid for daemonset';
  return [
    ...(isObj(selector) ? selectorErrors(selector, 'spec.selector') : [requiredValue('spec.selector')]),
    ...(isObj(selector) && hasUnknownOperator(selector) ? [] : matchErrors(spec)),
    ...(isObj(selector) && isEmptySelector(selector)
      ? [invalidValue('spec.selector', selector, detail)]
      : []),
    ...templateErrors(objOf(spec.template), 'spec.template'),
    ...foreverErrors(spec, 'DaemonSet'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...daemonUpdateErrors(objOf(spec.updateStrategy)),
    ...notNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ];
}

function daemonUpdateErrors(strategy: Obj): FieldError[] {
  const field = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate') {
    return [unsupportedValue(field, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  }
  const { maxUnavailable, maxSurge } = objOf(strategy.rollingUpdate);
  const place = `${field}.rollingUpdate`;
  const [down, up] = [amount(maxUnavailable) !== 0, amount(maxSurge) !== 0];
  const both = 'may not be set when maxUnavailable is non-zero';
  return [
    ...countOrShareErrors(maxUnavailable, `${place}.maxUnavailable`),
    ...countOrShareErrors(maxSurge, `${place}.maxSurge`),
    ...atMostAll(maxUnavailable, `${place}.maxUnavailable`),
    ...atMostAll(maxSurge, `${place}.maxSurge`),
    ...(down && up ? [invalidValue(`${place}.maxSurge`, maxSurge, both)] : []),
    ...(!down && !up ? [requiredValue(`${place}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

export function statefulSetErrors(spec: Obj): FieldError[] {
  const policy = spec.podManagementPolicy;
  const known = policy === 'OrderedReady' || policy === 'Parallel';
  const claims = listOf(spec.volumeClaimTemplates).map((claim) => textOf(at(claim, 'metadata', 'name')));
  const template = objOf(spec.template);
  const { hostname: _h, subdomain: _s, ...podSpec } = objOf(template.spec);
  const service = textOf(spec.serviceName);
  const start = objOf(spec.ordinals).start;
  return [
    ...(known
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...statefulUpdateErrors(objOf(spec.updateStrategy)),
    ...retentionErrors(objOf(spec.persistentVolumeClaimRetentionPolicy)),
    ...listOf(spec.volumeClaimTemplates).flatMap((claim, index) =>
      claimSpecErrors(objOf(objOf(claim).spec), `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...notNegative(start, 'spec.ordinals.start'),
    ...(service === '' ? [] : faultsAt('spec.serviceName', service, dnsLabelFaults(service))),
    ...ownSelectorErrors(spec, 'statefulset'),
    ...(isEmptySelector(spec.selector) ? [] : matchErrors(spec)),
    ...templateErrors({ ...template, spec: podSpec }, 'spec.template', claims),
    ...foreverErrors(spec, 'StatefulSet'),
  ];
}

function statefulUpdateErrors(strategy: Obj): FieldError[] {
  const field = 'spec.updateStrategy';
  const { type, rollingUpdate } = strategy;
  const { partition, maxUnavailable } = objOf(rollingUpdate);
  const shown = { Partition: partition ?? 0, MaxUnavailable: maxUnavailable ?? null };
  const place = `${field}.rollingUpdate`;
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return isObj(rollingUpdate) ? [invalidValue(place, shown, detail)] : [];
  }
  if (type !== 'RollingUpdate') {
    const whole = { Type: type, RollingUpdate: isObj(rollingUpdate) ? shown : null };
    return [invalidValue(field, whole, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const errors = notNegative(partition, `${place}.partition`);
  if (maxUnavailable === undefined) return errors;
  const most = `${place}.maxUnavailable`;
  return [
    ...errors,
    ...countOrShareErrors(maxUnavailable, most),
    ...(amount(maxUnavailable) === 0 ? [invalidValue(most, maxUnavailable, 'cannot be 0')] : []),
    ...atMostAll(maxUnavailable, most),
  ];
}

function retentionErrors(policy: Obj): FieldError[] {
  return ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const words = ['Retain', 'Delete'];
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    return words.includes(textOf(policy[name])) ? [] : [unsupportedValue(field, policy[name], words)];
  });
}
