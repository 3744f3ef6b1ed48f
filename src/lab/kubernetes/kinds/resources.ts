import { listOf, type Obj, objOf, textOf } from '../json.js';
import { parseQuantity } from '../schema/quantity.js';
import { duplicateValue, type FieldError, forbiddenValue, invalidValue, requiredValue } from '../status.js';
import { qualifiedNameFault } from './names.js';
import type { KindRules } from './resource-type.js';

const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const REQUESTED = ['cpu', 'memory', 'ephemeral-storage', 'storage'];
const QUOTA = new Set([
  ...CONTAINER,
  ...COUNTED,
  ...REQUESTED.map((name) => `requests.${name}`),
  ...CONTAINER.map((name) => `limits.${name}`),
]);
const STANDARD = new Set([...QUOTA, 'storage']);

function isHugePages(name: string): boolean {
  return /^(requests\.|limits\.)?hugepages-/.test(name);
}

/** `validateResourceName`: a known word, or a name with its domain. */
function nameFault(name: string): string | undefined {
  const fault = qualifiedNameFault(name);
  if (fault) return fault;
  if (name.includes('/') || STANDARD.has(name) || isHugePages(name)) return undefined;
  return 'must be a standard resource type or fully qualified';
}

function nameErrors(name: string, field: string, fits: boolean, otherwise: string): FieldError[] {
  const fault = nameFault(name);
  const errors = fault ? [invalidValue(field, name, fault)] : [];
  return fits || name.includes('/') ? errors : [...errors, invalidValue(field, name, otherwise)];
}

function nanoOf(quantity: unknown): bigint {
  return parseQuantity(String(quantity))?.nano ?? 0n;
}

/** Not below zero, and whole where it counts things. */
function valueErrors(name: string, quantity: unknown, field: string): FieldError[] {
  const nano = nanoOf(quantity);
  const whole = COUNTED.includes(name) || name.includes('/');
  return [
    ...(nano < 0n ? [invalidValue(field, quantity, 'must be greater than or equal to 0')] : []),
    ...(whole && nano % 1_000_000_000n !== 0n ? [invalidValue(field, quantity, 'must be an integer')] : []),
  ];
}

/** `ValidateResourceRequirements` of a container. */
export function containerResourceErrors(resources: Obj, field: string): FieldError[] {
  const limits = objOf(resources.limits);
  const requests = objOf(resources.requests);
  const each = (list: Obj, part: string) =>
    Object.entries(list).flatMap(([name, quantity]) => {
      const place = `${field}.${part}[${name}]`;
      const known = CONTAINER.includes(name) || isHugePages(name);
      return [
        ...nameErrors(name, place, known, 'must be a standard resource for containers'),
        ...valueErrors(name, quantity, place),
      ];
    });
  const over = Object.entries(requests).flatMap(([name, asked]) =>
    limitOfRequest(name, asked, limits[name], field),
  );
  return [...each(limits, 'limits'), ...each(requests, 'requests'), ...over];
}

/** A request fits its limit; what cannot be shared out twice has one, and the same. */
function limitOfRequest(name: string, asked: unknown, limit: unknown, field: string): FieldError[] {
  const exact = isHugePages(name) || (name.includes('/') && !name.includes('kubernetes.io/'));
  if (limit === undefined) {
    const detail = 'Limit must be set for non overcommitable resources';
    return exact ? [requiredValue(`${field}.limits`, detail)] : [];
  }
  const [is, most] = [nanoOf(asked), nanoOf(limit)];
  const bound = `${name} limit of ${textOf(limit)}`;
  if (exact && is !== most) return [invalidValue(`${field}.requests`, asked, `must be equal to ${bound}`)];
  return is > most
    ? [invalidValue(`${field}.requests`, asked, `must be less than or equal to ${bound}`)]
    : [];
}

export const resourceQuotaRules: KindRules = {
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(quota) {
    const hard = Object.entries(objOf(objOf(quota.spec).hard));
    return hard.flatMap(([name, quantity]) => {
      const field = `spec.hard[${name}]`;
      const known = QUOTA.has(name) || isHugePages(name);
      const countable = /^count\/[a-z]/.test(name);
      return [
        ...(countable ? [] : nameErrors(name, field, known, 'must be a standard resource for quota')),
        ...valueErrors(name, quantity, field),
      ];
    });
  },
};

const LIMIT_PARTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Pairs of a limit range: the first may not be greater than the second. */
const ORDERED = [
  ['min', 'max', 'min', 'min value', 'max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value', 'max value'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request value', 'default limit value'],
  ['min', 'default', 'default', 'min value', 'default value'],
  ['default', 'max', 'default', 'default value', 'max value'],
] as const;

function limitErrors(limit: Obj, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const ofPod = limit.type === 'Pod';
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
  const keys = new Set(LIMIT_PARTS.flatMap((part) => Object.keys(objOf(limit[part]))));
  for (const key of keys) errors.push(...orderErrors(limit, key, field));
  return errors;
}

function orderErrors(limit: Obj, key: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const of = (part: string) => objOf(limit[part])[key];
  for (const [low, high, at, lowName, highName] of ORDERED) {
    if (of(low) === undefined || of(high) === undefined || nanoOf(of(low)) <= nanoOf(of(high))) continue;
    const detail = `${lowName} ${textOf(of(low))} is greater than ${highName} ${textOf(of(high))}`;
    errors.push(invalidValue(`${field}.${at}[${key}]`, of(at), detail));
  }
  const ratio = of('maxLimitRequestRatio');
  if (ratio !== undefined && nanoOf(ratio) < 1_000_000_000n) {
    const detail = `ratio ${textOf(ratio)} is less than 1`;
    errors.push(invalidValue(`${field}.maxLimitRequestRatio[${key}]`, ratio, detail));
  }
  return errors;
}

export const limitRangeRules: KindRules = {
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
      const errors = seen.has(type) ? [duplicateValue(`${field}.type`, type)] : [];
      seen.add(type);
      return [...errors, ...limitErrors(limit, field)];
    });
  },
};
