import { listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { duplicateValue, type FieldError, forbiddenValue, invalidValue, requiredValue } from '../status.js';
import { faultsAt } from './checks/fields.js';
import { scopeErrors, scopeSelectorErrors } from './checks/scopes.js';
import { labelKeyFaults } from './checks/texts.js';
import type { KindRules } from './resource-type.js';
import { CONTAINER, isHugePages, nameErrors, nanoOf, QUOTA, valueErrors } from './resources.js';

export const resourceQuotaRules: KindRules = {
  checksAll: true,
  returnsDeleted: true,
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(quota) {
    const spec = objOf(quota.spec);
    const counts = Object.entries(objOf(spec.hard)).flatMap(([name, quantity]) => {
      const field = `spec.hard[${name}]`;
      const known = QUOTA.has(name) || isHugePages(name);
      const countable = /^count\/[a-z]/.test(name);
      return [
        ...(countable ? [] : nameErrors(name, field, known, 'must be a standard resource for quota')),
        ...valueErrors(name, quantity, field),
      ];
    });
    return [...counts, ...scopeErrors(spec), ...scopeSelectorErrors(spec)];
  },
  validateUpdate(quota, old) {
    const scopes = (object: KubeObject) => [...listOf(objOf(object.spec).scopes).map(textOf)].sort();
    const [is, was] = [objOf(quota.spec).scopes, scopes(old)];
    return sameJson(scopes(quota), was) ? [] : [invalidValue('spec.scopes', is, 'field is immutable')];
  },
};

const LIMIT_PARTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Pairs of a limit range: the first may not be greater than the second; the last is the value that is shown. */
const ORDERED = [
  ['min', 'max', 'min', 'min value', 'max value', 'min'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value', 'default request value', 'defaultRequest'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value', 'max value', 'defaultRequest'],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'default request value',
    'default limit value',
    'defaultRequest',
  ],
  ['min', 'default', 'default', 'min value', 'default value', 'min'],
  ['default', 'max', 'default', 'default value', 'max value', 'max'],
] as const;

const LIMIT_TYPES = ['Container', 'Pod', 'PersistentVolumeClaim'];

function typeFaults(type: string): string[] {
  const faults = labelKeyFaults(type);
  if (faults.length > 0 || type.includes('/') || LIMIT_TYPES.includes(type)) return faults;
  return ['must be a standard limit type or fully qualified'];
}

/** The names in one part of a limit. */
function partErrors(limit: Obj, part: string, field: string): FieldError[] {
  const ofContainers = limit.type === 'Pod' || limit.type === 'Container';
  return Object.keys(objOf(limit[part])).flatMap((name) => {
    const known = !ofContainers || CONTAINER.includes(name) || isHugePages(name);
    return nameErrors(name, `${field}.${part}[${name}]`, known, 'must be a standard resource for containers');
  });
}

function limitErrors(limit: Obj, field: string): FieldError[] {
  const ofPod = limit.type === 'Pod';
  const named = ofPod ? ['max', 'min'] : ['max', 'min', 'default', 'defaultRequest'];
  const errors = named.flatMap((part) => partErrors(limit, part, field));
  for (const part of ['default', 'defaultRequest'] as const) {
    if (ofPod && Object.keys(objOf(limit[part])).length > 0) {
      errors.push(forbiddenValue(`${field}.${part}`, "may not be specified when `type` is 'Pod'"));
    }
  }
  const storage = (part: string) => objOf(limit[part]).storage !== undefined;
  if (limit.type === 'PersistentVolumeClaim' && !storage('min') && !storage('max')) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(requiredValue(`${field}.limits`, detail));
  }
  errors.push(...partErrors(limit, 'maxLimitRequestRatio', field));
  const keys = new Set(LIMIT_PARTS.flatMap((part) => Object.keys(objOf(limit[part]))));
  for (const key of keys) errors.push(...orderErrors(limit, key, field));
  return errors;
}

function orderErrors(limit: Obj, key: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const of = (part: string) => objOf(limit[part])[key];
  for (const [low, high, at, lowName, highName, shown] of ORDERED) {
    if (of(low) === undefined || of(high) === undefined || nanoOf(of(low)) <= nanoOf(of(high))) continue;
    const detail = `${lowName} ${textOf(of(low))} is greater than ${highName} ${textOf(of(high))}`;
    errors.push(invalidValue(`${field}.${at}[${key}]`, of(shown), detail));
  }
  const ratio = of('maxLimitRequestRatio');
  if (ratio !== undefined && nanoOf(ratio) < 1_000_000_000n) {
    const detail = `ratio ${textOf(ratio)} is less than 1`;
    errors.push(invalidValue(`${field}.maxLimitRequestRatio[${key}]`, ratio, detail));
  }
  return [...errors, ...shareErrors(ratio, of('min'), of('max'), `${field}.maxLimitRequestRatio[${key}]`)];
}

/** The ratio is at most what the largest is to the smallest. */
function shareErrors(ratio: unknown, min: unknown, max: unknown, field: string): FieldError[] {
  if (ratio === undefined || min === undefined || max === undefined) return [];
  const most = Number(nanoOf(max)) / Number(nanoOf(min));
  const detail = `ratio ${String(ratio)} is greater than max/min = ${most.toFixed(6)}`;
  return Number(nanoOf(ratio)) / 1e9 > most ? [invalidValue(field, ratio, detail)] : [];
}

export const limitRangeRules: KindRules = {
  createOnUpdate: true,
  checksAll: true,
  /** What a limit range does not say of a container follows from what it says (`SetDefaults_LimitRangeItem`). */
  defaults(draft) {
    const spec = objOf(draft.spec);
    const limits = listOf(spec.limits).map((item) => {
      const limit = objOf(item);
      if (limit.type !== 'Container') return limit;
      const defaults = { ...objOf(limit.max), ...objOf(limit.default) };
      const requests = { ...objOf(limit.min), ...defaults, ...objOf(limit.defaultRequest) };
      return {
        ...limit,
        ...(Object.keys(defaults).length > 0 ? { default: defaults } : {}),
        ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
      };
    });
    if (limits.length > 0) draft.spec = { ...spec, limits };
  },
  validate(range) {
    const seen = new Set<string>();
    return listOf(objOf(range.spec).limits).flatMap((item, index) => {
      const limit = objOf(item);
      const field = `spec.limits[${index}]`;
      const type = textOf(limit.type);
      const errors = faultsAt(`${field}.type`, type, typeFaults(type));
      if (seen.has(type)) errors.push(duplicateValue(`${field}.type`, type));
      seen.add(type);
      return [...errors, ...limitErrors(limit, field)];
    });
  },
};
