import { type Obj, objOf, textOf } from '../json.js';
import { parseQuantity } from '../schema/quantity.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from '../status.js';
import { faultsAt } from './checks/fields.js';
import { labelKeyFaults } from './checks/texts.js';

export const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];
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
export const QUOTA = new Set([
  ...CONTAINER,
  ...COUNTED,
  ...REQUESTED.map((name) => `requests.${name}`),
  ...CONTAINER.map((name) => `limits.${name}`),
]);
const STANDARD = new Set([...QUOTA, 'storage']);

export function isHugePages(name: string): boolean {
  return /^(requests\.|limits\.)?hugepages-/.test(name);
}

/** `validateResourceName`: a known word, or a name with its domain. */
function nameFaults(name: string): string[] {
  const faults = labelKeyFaults(name);
  if (faults.length > 0 || name.includes('/') || STANDARD.has(name) || isHugePages(name)) return faults;
  return ['must be a standard resource type or fully qualified'];
}

export function nameErrors(name: string, field: string, fits: boolean, otherwise: string): FieldError[] {
  const errors = faultsAt(field, name, nameFaults(name));
  return fits || name.includes('/') ? errors : [...errors, invalidValue(field, name, otherwise)];
}

export function nanoOf(quantity: unknown): bigint {
  return parseQuantity(String(quantity))?.nano ?? 0n;
}

/** Not below zero, and whole where it counts things. */
export function valueErrors(name: string, quantity: unknown, field: string): FieldError[] {
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
  const huge = [...Object.keys(limits), ...Object.keys(requests)];
  const alone = huge.some(isHugePages) && !huge.some((name) => name === 'cpu' || name === 'memory');
  const pages = alone ? [forbiddenValue(field, 'HugePages require cpu or memory')] : [];
  return [...each(limits, 'limits'), ...each(requests, 'requests'), ...over, ...pages];
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
