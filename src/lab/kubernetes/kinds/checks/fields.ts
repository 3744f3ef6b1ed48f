import { listOf, type Obj, objOf, textOf } from '../../json.js';
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { labelKeyFaults, labelValueFaults } from './texts.js';

/** Small checks that many kinds share; each gives the faults of one field. */

export function faultsAt(field: string, value: unknown, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => invalidValue(field, value, fault));
}

/** One of the words, and required. */
export function oneOf(value: unknown, words: readonly string[], field: string): FieldError[] {
  if (value === undefined || value === '') return [requiredValue(field)];
  return words.includes(textOf(value)) ? [] : [unsupportedValue(field, value, words)];
}

/** One of the words where it is said at all. */
export function ifSaid(value: unknown, words: readonly string[], field: string): FieldError[] {
  return value === undefined || words.includes(String(value)) ? [] : [unsupportedValue(field, value, words)];
}

export function notNegative(value: unknown, field: string): FieldError[] {
  return typeof value === 'number' && value < 0
    ? [invalidValue(field, value, 'must be greater than or equal to 0')]
    : [];
}

export function labelsErrors(labels: unknown, field: string): FieldError[] {
  return Object.entries(objOf(labels)).flatMap(([key, value]) => [
    ...faultsAt(field, key, labelKeyFaults(key)),
    ...faultsAt(field, value, labelValueFaults(textOf(value))),
  ]);
}

export function annotationKeyErrors(annotations: unknown, field: string): FieldError[] {
  return Object.keys(objOf(annotations)).flatMap((key) =>
    faultsAt(field, key, labelKeyFaults(key.toLowerCase())),
  );
}

/** `matchExpressions` of selectors of labels; `numbers`: nodes can also be compared. */
export function requirementErrors(
  expression: Obj,
  field: string,
  { numbers = false, anyValue = false } = {},
): FieldError[] {
  const { key, operator } = expression;
  const values = listOf(expression.values);
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(requiredValue(`${field}.values`, detail));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbiddenValue(`${field}.values`, detail));
  } else if (numbers && (operator === 'Gt' || operator === 'Lt')) {
    const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    if (values.length !== 1) errors.push(requiredValue(`${field}.values`, detail));
  } else errors.push(invalidValue(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  errors.push(...faultsAt(`${field}.key`, key ?? '', labelKeyFaults(textOf(key))));
  if (anyValue) return errors;
  return [
    ...errors,
    ...values.flatMap((value, index) =>
      faultsAt(`${field}.values[${index}]`, value, labelValueFaults(textOf(value))),
    ),
  ];
}

export function selectorErrors(selector: unknown, field: string): FieldError[] {
  const { matchLabels, matchExpressions } = objOf(selector);
  return [
    ...labelsErrors(matchLabels, `${field}.matchLabels`),
    ...listOf(matchExpressions).flatMap((item, index) =>
      requirementErrors(objOf(item), `${field}.matchExpressions[${index}]`),
    ),
  ];
}

export function isEmptySelector(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = objOf(selector);
  return Object.keys(objOf(matchLabels)).length + listOf(matchExpressions).length === 0;
}

/** Each item of a list with its place. */
export function each(list: unknown, field: string, check: (item: Obj, place: string) => FieldError[]) {
  return listOf(list).flatMap((item, index) => check(objOf(item), `${field}[${index}]`));
}

/** No `..` in a path. */
export function backstepErrors(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

export function descendingPathErrors(path: string, field: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []),
    ...backstepErrors(path, field),
  ];
}

/** A path below the volume it is in; names that begin with `..` are the kubelet's. */
export function ownPathErrors(path: string, field: string): FieldError[] {
  const reserved = path.startsWith('..') && !path.startsWith('../');
  return [
    ...descendingPathErrors(path, field),
    ...(reserved ? [invalidValue(field, path, "must not start with '..'")] : []),
  ];
}
