import { ownValue } from '../../../../formats/text/mapping.js';
import { listOf, type Obj, objOf, textOf } from '../../json.js';
import { type FieldError, invalidValue, requiredValue } from '../../status.js';
import { QUOTA } from '../resources.js';

/** Scopes of quotas → the resources that can be counted within them. */
const OF_PODS = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: OF_PODS,
  NotTerminating: OF_PODS,
  BestEffort: ['pods'],
  NotBestEffort: OF_PODS,
  PriorityClass: OF_PODS,
  CrossNamespacePodAffinity: OF_PODS,
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
const PAIRS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const BADLY_APPLIED = 'unsupported scope applied to resource';

/** How many of the counted resources the scope does not fit. */
function misfits(scope: string, spec: Obj): number {
  const fits = ownValue(SCOPES, scope);
  return Object.keys(objOf(spec.hard)).filter((name) => fits && QUOTA.has(name) && !fits.includes(name))
    .length;
}

function conflicts(scopes: readonly string[]): boolean {
  return PAIRS.some((pair) => pair.every((scope) => scopes.includes(scope)));
}

export function scopeErrors(spec: Obj): FieldError[] {
  const scopes = listOf(spec.scopes).map(textOf);
  const fault = (detail: string) => invalidValue('spec.scopes', scopes, detail);
  return [
    ...scopes.flatMap((scope) => [
      ...(ownValue(SCOPES, scope) ? [] : [fault('unsupported scope')]),
      ...(misfits(scope, spec) > 0 ? [fault(BADLY_APPLIED)] : []),
    ]),
    ...(conflicts(scopes) ? [fault('conflicting scopes')] : []),
  ];
}

export function scopeSelectorErrors(spec: Obj): FieldError[] {
  const expressions = listOf(objOf(spec.scopeSelector).matchExpressions).map(objOf);
  const field = 'spec.scopeSelector.matchExpressions';
  const errors = expressions.flatMap((item) => [
    ...(ownValue(SCOPES, textOf(item.scopeName))
      ? []
      : [invalidValue(`${field}.scopeName`, item.scopeName ?? '', 'unsupported scope')]),
    ...(misfits(textOf(item.scopeName), spec) > 0
      ? [invalidValue(field, spec.scopeSelector, BADLY_APPLIED)]
      : []),
    ...operatorErrors(item, field),
  ]);
  const names = expressions.map((item) => textOf(item.scopeName));
  return conflicts(names) ? [...errors, invalidValue(field, spec.scopes, 'conflicting scopes')] : errors;
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors({ scopeName, operator, values }: Obj, field: string): FieldError[] {
  const valued = scopeName === 'PriorityClass' || scopeName === 'VolumeAttributesClass';
  const errors: FieldError[] = [];
  if (ownValue(SCOPES, textOf(scopeName)) && !valued && operator !== 'Exists') {
    errors.push(invalidValue(`${field}.operator`, operator ?? '', ONLY_EXISTS));
  }
  const given = listOf(values);
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return given.length === 0 ? [...errors, requiredValue(`${field}.values`, detail)] : errors;
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return given.length > 0 ? [...errors, invalidValue(`${field}.values`, given, detail)] : errors;
  }
  return [...errors, invalidValue(`${field}.operator`, operator ?? '', 'not a valid selector operator')];
}
