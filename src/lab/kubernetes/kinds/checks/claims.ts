import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { parseQuantity } from '../../schema/quantity.js';
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { faultsAt, ifSaid, selectorErrors } from './fields.js';
import { subdomainFaults } from './texts.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

export function accessModeErrors(modes: unknown, field: string): FieldError[] {
  const given = listOf(modes).map(textOf);
  const unknown = given
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => unsupportedValue(field, mode, ACCESS_MODES));
  const others = given.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  const mixed = given.includes('ReadWriteOncePod') && others;
  return mixed
    ? [...unknown, forbiddenValue(field, 'may not use ReadWriteOncePod with other access modes')]
    : unknown;
}

export function positiveQuantity(quantity: unknown, field: string): FieldError[] {
  return (parseQuantity(String(quantity))?.nano ?? 0n) > 0n
    ? []
    : [invalidValue(field, quantity, 'must be greater than zero')];
}

export function classNameErrors(name: unknown, field: string): FieldError[] {
  const text = textOf(name);
  return text === '' ? [] : faultsAt(field, text, subdomainFaults(text));
}

/** `ValidatePersistentVolumeClaimSpec`: of claims, of templates of stateful sets and of volumes of pods. */
export function claimSpecErrors(spec: Obj, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (listOf(spec.accessModes).length === 0) {
    errors.push(requiredValue(`${field}.accessModes`, 'at least 1 access mode is required'));
  }
  errors.push(...selectorErrors(spec.selector, `${field}.selector`));
  errors.push(...accessModeErrors(spec.accessModes, `${field}.accessModes`));
  const storage = objOf(objOf(spec.resources).requests).storage;
  const place = `${field}.resources[storage]`;
  errors.push(...(storage === undefined ? [requiredValue(place)] : positiveQuantity(storage, place)));
  errors.push(...classNameErrors(spec.storageClassName, `${field}.storageClassName`));
  errors.push(...ifSaid(spec.volumeMode, VOLUME_MODES, `${field}.volumeMode`));
  for (const part of ['dataSource', 'dataSourceRef']) {
    if (isObj(spec[part])) errors.push(...dataSourceErrors(objOf(spec[part]), `${field}.${part}`));
  }
  return errors;
}

function dataSourceErrors(source: Obj, field: string): FieldError[] {
  const errors = ['name', 'kind']
    .filter((part) => textOf(source[part]) === '')
    .map((part) => requiredValue(`${field}.${part}`));
  const group = textOf(source.apiGroup);
  if (group === '' && source.kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalidValue(field, source.kind ?? '', detail));
  }
  return group === '' ? errors : [...errors, ...faultsAt(`${field}.apiGroup`, group, subdomainFaults(group))];
}
