/** What the schema of a custom kind must be like (`apiextensions-apiserver/pkg/apiserver/schema`). */
import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { type FieldError, forbiddenValue, requiredValue, unsupportedValue } from '../status.js';
import { openApiErrors } from './open-api-errors.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'map', 'set'];

export function structuralErrors(openApi: Obj, path: string): FieldError[] {
  const meta = objOf(objOf(openApi.properties).metadata);
  const named = Object.keys(objOf(meta.properties)).every((name) => ['name', 'generateName'].includes(name));
  const detail =
    'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [
    ...schemaErrors(openApi, path, ''),
    ...(named ? [] : [forbiddenValue(`${path}.properties[metadata]`, detail)]),
  ];
}

/** `of`: what the schema is for, in the words of a missing type. */
function schemaErrors(openApi: Obj, path: string, of: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textOf(openApi.type);
  for (const [name, field] of Object.entries(objOf(openApi.properties)).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    errors.push(...schemaErrors(objOf(field), `${path}.properties[${name}]`, 'object fields'));
  }
  if (isObj(openApi.additionalProperties)) {
    const place = `${path}.additionalProperties`;
    errors.push(...schemaErrors(openApi.additionalProperties, place, 'object fields'));
  }
  if (isObj(openApi.items)) errors.push(...schemaErrors(openApi.items, `${path}.items`, 'array items'));
  if (type === '' && !isUntyped(openApi)) errors.push(requiredValue(`${path}.type`, missingType(of)));
  else if (type !== '' && !TYPES.includes(type)) errors.push(unsupportedValue(`${path}.type`, type, TYPES));
  else errors.push(...defaultErrors(openApi, path));
  if (type === 'array' && !isObj(openApi.items)) {
    errors.push(requiredValue(`${path}.items`, 'must be specified'));
  }
  return [...errors, ...listErrors(openApi, path)];
}

function missingType(of: string): string {
  return of === '' ? 'must not be empty at the root' : `must not be empty for specified ${of}`;
}

function isUntyped(openApi: Obj): boolean {
  return (
    openApi['x-kubernetes-int-or-string'] === true || openApi['x-kubernetes-preserve-unknown-fields'] === true
  );
}

function defaultErrors(openApi: Obj, path: string): FieldError[] {
  if (openApi.default === undefined) return [];
  return openApiErrors(openApi.default, openApi, '').map((error) => ({
    ...error,
    field: `${path}.default${error.field === '' || error.field === '<nil>' ? '' : `.${error.field}`}`,
  }));
}

function listErrors(openApi: Obj, path: string): FieldError[] {
  const type = openApi['x-kubernetes-list-type'];
  if (type === undefined) return [];
  const keys = listOf(openApi['x-kubernetes-list-map-keys']).map(textOf);
  const place = `${path}.x-kubernetes-list-map-keys`;
  if (!LIST_TYPES.includes(textOf(type))) {
    return [unsupportedValue(`${path}.x-kubernetes-list-type`, type, LIST_TYPES)];
  }
  if (type !== 'map') {
    return keys.length === 0
      ? []
      : [forbiddenValue(place, 'may only be set if x-kubernetes-list-type is map')];
  }
  return keys.length > 0 ? [] : [requiredValue(place, 'must not be empty if x-kubernetes-list-type is map')];
}
