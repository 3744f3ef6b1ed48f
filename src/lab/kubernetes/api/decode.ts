import { isObj, type Obj } from '../json.js';
import { modulesOf } from '../kinds/built-in-kinds.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import { asObject, type KubeObject } from '../object.js';
import { canonical, noFindings } from '../schema/canonical.js';
import { ApiError, badRequest, invalid, invalidValue } from '../status.js';
import type { WriteOptions } from './options.js';

/** Brings a body into the type's form, as decoding into Go and defaulting do. Unknown fields by `fieldValidation`. */
export function decodeObject(type: ResourceType, body: unknown, options: WriteOptions): KubeObject {
  if (!isObj(body)) throw badRequest(`the object provided is unrecognized (must be of type ${type.kind})`);
  checkKind(type, body);
  const { object, unknown } = toCanonical(type, body);
  if (unknown.length > 0) {
    const texts = unknown.map((field) => `unknown field "${field}"`);
    if (options.validation === 'Strict') {
      throw badRequest(
        `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${texts.join(', ')}`,
      );
    }
    if (options.validation === 'Warn') options.warnings.push(...texts);
  }
  return object;
}

/** The same for what a patch made of an object; its complaint is about the patch. */
export function decodePatched(
  type: ResourceType,
  body: Obj,
  patch: unknown,
  options: WriteOptions,
  wholeInFault: boolean,
): KubeObject {
  const { object, unknown } = toCanonical(type, body, wholeInFault ? patchFault : undefined);
  if (unknown.length === 0) return object;
  const texts = unknown.map((field) => `unknown field "${field}"`);
  if (options.validation === 'Strict') {
    const detail = `strict decoding error: ${texts.join(', ')}`;
    throw invalid('', '', '', [invalidValue('patch', goText(patch), detail)]);
  }
  if (options.validation === 'Warn') options.warnings.push(...texts);
  return object;
}

/** What is wrong with the kind of a value is told of the whole object that the patch made. */
function patchFault(body: Obj, fault: string): ApiError {
  const { managedFields: _, ...metadata } = isObj(body.metadata) ? body.metadata : {};
  return invalid('', '', '', [invalidValue('patch', JSON.stringify({ ...body, metadata }), fault)]);
}

function toCanonical(
  type: ResourceType,
  body: Obj,
  refuse?: (body: Obj, fault: string) => ApiError,
): { object: KubeObject; unknown: string[] } {
  const findings = noFindings();
  const form = canonical(body, type.schema, findings);
  const fault = findings.faults[0];
  if (fault !== undefined) {
    if (refuse) throw refuse(body, fault);
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${fault}`,
    );
  }
  const object = asObject(isObj(form) ? form : {}, apiVersionOf(type), type.kind);
  type.rules.defaults?.(object);
  // Defaults can bring structs whose own fields without omitempty are still missing.
  const again = canonical(object, type.schema, noFindings());
  return {
    object: asObject(isObj(again) ? again : {}, apiVersionOf(type), type.kind),
    unknown: findings.unknown,
  };
}

/** An object with only what a client mentioned: nothing is filled in. For server-side apply. */
export function decodeApplied(type: ResourceType, body: Obj, name: string): Obj {
  const findings = noFindings();
  canonical(body, type.schema, findings);
  const unknown = findings.unknown[0];
  if (unknown !== undefined) {
    const { namespace } = isObj(body.metadata) ? body.metadata : {};
    const who = `${typeof namespace === 'string' ? namespace : ''}/${name}; ${type.group}/${type.version}, Kind=${type.kind}`;
    // A 500 without a reason, as recorded (golden: apply).
    const message = `failed to create typed patch object (${who}): .${unknown}: field not declared in schema`;
    throw new ApiError(500, undefined, message);
  }
  return body;
}

/** An empty object of the type: what a new object is compared with to find out what its writer owns. */
export function emptyObject(type: ResourceType): Obj {
  const form = canonical({ apiVersion: apiVersionOf(type), kind: type.kind }, type.schema, noFindings());
  return isObj(form) ? form : {};
}

function checkKind(type: ResourceType, body: Obj): void {
  const { kind, apiVersion } = body;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    // kubectl and the Go clients always send both; the path fills in what is missing.
    return;
  }
  if (kind === type.kind && apiVersion === apiVersionOf(type)) return;
  const version = apiVersion.split('/').at(-1) ?? '';
  if (kind === type.kind) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`,
    );
  }
  const internal = `${modulesOf(type.group)}.${type.kind}`;
  throw badRequest(
    `${kind} in version "${version}" cannot be handled as a ${type.kind}: converting (${version}.${kind}) to (${internal}): unknown conversion`,
  );
}

/** Go's `%v` of a decoded JSON value: `map[spec:map[nope:true]]`. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isObj(value)) {
    const parts = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goText(value[key])}`);
    return `map[${parts.join(' ')}]`;
  }
  return value === null ? '<nil>' : String(value);
}
