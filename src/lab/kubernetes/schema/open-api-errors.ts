import { isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { type FieldError, invalidValue, requiredValue, tooLong, unsupportedValue } from '../status.js';

/**
 * Structural checks in the order and with the texts of `kube-openapi/pkg/validation`. `old`: what stood here before;
 * faults of what did not change are let through.
 */
export function openApiErrors(value: unknown, openApi: Obj, path: string, old?: unknown): FieldError[] {
  if (value === null && openApi.nullable === true) return [];
  if (old !== undefined && sameJson(value, old)) return [];
  const wrong = typeError(value, openApi, path);
  if (wrong)
    return typeof value === 'number' && openApi.type === 'integer' ? [wrong, halfError(path)] : [wrong];
  return [
    ...combinedErrors(value, openApi, path),
    ...(typeof value === 'string' ? textErrors(value, openApi, path) : []),
    ...(typeof value === 'number' ? numberErrors(value, openApi, path) : []),
    ...(Array.isArray(value) ? listErrors(value, openApi, path, old) : []),
    ...enumErrors(value, openApi, path),
    ...(isObj(value) ? objectErrors(value, openApi, path, old) : []),
  ];
}

const pathTo = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
const bad = (path: string, value: unknown, detail: string) =>
  invalidValue(path, value, `${path} in body ${detail}`);
const tooMany = (field: string, count: number, most: number, of: string): FieldError => ({
  field,
  type: 'TooMany',
  detail: `Too many: ${count}: must have at most ${most} ${of}`,
});

/** Faults of the whole have no field of their own. */
const ofWhole = (path: string, text: string): FieldError => invalidValue('<nil>', '', `"${path}" ${text}`);

function combinedErrors(value: unknown, openApi: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const outcomes = (name: string) =>
    listOf(openApi[name]).map((schema) => openApiErrors(value, objOf(schema), path));
  const best = (all: FieldError[][]) => [...all].sort((a, b) => a.length - b.length)[0] ?? [];
  const any = outcomes('anyOf');
  if (any.length > 0 && !any.some((found) => found.length === 0)) {
    errors.push(ofWhole(path, 'must validate at least one schema (anyOf)'), ...best(any));
  }
  const one = outcomes('oneOf');
  const valid = one.filter((found) => found.length === 0).length;
  if (one.length > 0 && valid !== 1) {
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    errors.push(ofWhole(path, `must validate one and only one schema (oneOf). ${found}`));
    if (valid === 0) errors.push(...best(one));
  }
  const all = outcomes('allOf');
  const failed = all.filter((found) => found.length > 0);
  if (failed.length > 0) {
    const none = failed.length === all.length ? '. None validated' : '';
    errors.push(...failed.flat(), ofWhole(path, `must validate all the schemas (allOf)${none}`));
  }
  if (isObj(openApi.not) && openApiErrors(value, openApi.not, path).length === 0) {
    errors.push(ofWhole(path, 'must not validate the schema (not)'));
  }
  return errors;
}

/** The first fault of a text ends its checks. */
function textErrors(value: string, openApi: Obj, path: string): FieldError[] {
  const length = [...value].length;
  if (typeof openApi.maxLength === 'number' && length > openApi.maxLength)
    return [tooLong(path, openApi.maxLength)];
  if (typeof openApi.minLength === 'number' && length < openApi.minLength)
    return [bad(path, value, `should be at least ${openApi.minLength} chars long`)];
  if (typeof openApi.pattern === 'string' && !matches(openApi.pattern, value))
    return [bad(path, value, `should match '${openApi.pattern}'`)];
  const format = FORMATS[textOf(openApi.format)];
  if (format && !format(value)) {
    const type = textOf(openApi.format);
    return [
      {
        field: path,
        type: 'TypeInvalid',
        detail: `Invalid value: ${JSON.stringify(value)}: ${path} in body must be of type ${type}: ${JSON.stringify(value)}`,
      },
    ];
  }
  return [];
}

const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': (text) => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  ipv4: (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((part) => Number(part) < 256),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  byte: (text) => /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/.test(text),
};

function numberErrors(value: number, openApi: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { multipleOf, minimum, maximum } = openApi;
  if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf))
    errors.push(bad(path, value, `should be a multiple of ${multipleOf}`));
  if (typeof minimum === 'number') {
    if (openApi.exclusiveMinimum === true && value <= minimum)
      errors.push(bad(path, value, `should be greater than ${minimum}`));
    else if (value < minimum) errors.push(bad(path, value, `should be greater than or equal to ${minimum}`));
  }
  if (typeof maximum === 'number') {
    if (openApi.exclusiveMaximum === true && value >= maximum)
      errors.push(bad(path, value, `should be less than ${maximum}`));
    else if (value > maximum) errors.push(bad(path, value, `should be less than or equal to ${maximum}`));
  }
  return errors;
}

function listErrors(value: unknown[], openApi: Obj, path: string, old: unknown): FieldError[] {
  const keys = listOf(openApi['x-kubernetes-list-map-keys']).map(textOf);
  const before = (item: unknown) =>
    keys.length === 0
      ? undefined
      : listOf(old).find((one) => keys.every((key) => sameJson(objOf(one)[key], objOf(item)[key])));
  const errors = value.flatMap((item, index) =>
    openApiErrors(item, objOf(openApi.items), `${path}[${index}]`, before(item)),
  );
  if (typeof openApi.minItems === 'number' && value.length < openApi.minItems)
    errors.push(bad(path, value.length, `should have at least ${openApi.minItems} items`));
  if (typeof openApi.maxItems === 'number' && value.length > openApi.maxItems)
    errors.push(tooMany(path, value.length, openApi.maxItems, 'items'));
  return errors;
}

function enumErrors(value: unknown, openApi: Obj, path: string): FieldError[] {
  if (!Array.isArray(openApi.enum) || openApi.enum.some((item) => sameJson(item, value))) return [];
  const supported = openApi.enum.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  return [unsupportedValue(path, value, supported)];
}

function objectErrors(value: Obj, openApi: Obj, path: string, old: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const count = Object.keys(value).length;
  if (typeof openApi.minProperties === 'number' && count < openApi.minProperties)
    errors.push(bad(path, count, `should have at least ${openApi.minProperties} properties`));
  if (typeof openApi.maxProperties === 'number' && count > openApi.maxProperties)
    errors.push(tooMany(path, count, openApi.maxProperties, 'items'));
  for (const [name, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const of = objOf(openApi.properties)[name] ?? openApi.additionalProperties;
    if (isObj(of)) errors.push(...openApiErrors(item, of, pathTo(path, name), objOf(old)[name]));
  }
  for (const name of listOf(openApi.required).map(textOf)) {
    if (value[name] === undefined) errors.push(requiredValue(pathTo(path, name)));
  }
  return errors;
}

/** Patterns are Go's; one that this language cannot read is not checked. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** A number that is no integer is found twice. */
function halfError(path: string): FieldError {
  return invalidValue('<nil>', '', `Checked value must be of type integer (default format) in ${path}`);
}

function typeError(value: unknown, openApi: Obj, path: string): FieldError | undefined {
  const either = openApi['x-kubernetes-int-or-string'] === true;
  const type = either ? 'integer,string' : textOf(openApi.type);
  if (type === '') return undefined;
  if (either && (typeof value === 'string' || Number.isInteger(value))) return undefined;
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fits =
    type === 'integer' ? Number.isInteger(value) : type === 'number' ? got === 'number' : got === type;
  if (fits) return undefined;
  const shown = got === 'number' && Number.isInteger(value) ? 'integer' : got;
  return {
    field: path,
    type: 'TypeInvalid',
    detail: `Invalid value: "${shown}": ${path} in body must be of type ${type}: "${shown}"`,
  };
}
