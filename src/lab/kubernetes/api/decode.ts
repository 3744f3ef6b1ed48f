import { at, isObj, type Obj, textOf } from '../json.js';
import { isKnownKind, modulesOf } from '../kinds/built-in-kinds.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import { asObject, type KubeObject } from '../object.js';
import { goText, typedFaults } from '../patch/typed-faults.js';
import { canonical, noFindings } from '../schema/canonical.js';
import { isNamedText } from '../schema/field-facts.js';
import { customSchema } from '../schema/open-api.js';
import type { Schema } from '../schema/schema.js';
import { ApiError, badRequest, invalid, invalidValue } from '../status.js';
import type { WriteOptions } from './options.js';

/** Brings a body into the type's form, as decoding into Go and defaulting do. Unknown fields by `fieldValidation`. */
export function decodeObject(type: ResourceType, body: unknown, options: WriteOptions): KubeObject {
  if (!isObj(body)) throw badRequest(`the object provided is unrecognized (must be of type ${type.kind})`);
  const fault = kindFault(type, body);
  if (fault !== undefined) throw badRequest(fault.said);
  checkCustomKind(type, body);
  const { object, unknown } = toCanonical(type, body, undefined, options.user !== undefined);
  const texts = strictTexts(unknown, options);
  if (texts.length > 0) {
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
  const refuse = wholeInFault
    ? patchFault
    : (_: Obj, fault: string) =>
        invalid('', '', '', [invalidValue('patch', goText(patch), converterText(fault))]);
  const kind = kindFault(type, body);
  if (kind !== undefined) throw patchFault(body, kind.why);
  const { object, unknown } = toCanonical(type, body, refuse);
  const texts = strictTexts(unknown, options);
  if (texts.length === 0) return object;
  if (options.validation === 'Strict') {
    throw refuse(body, `strict decoding error: ${texts.join(', ')}`);
  }
  if (options.validation === 'Warn') options.warnings.push(...texts);
  return object;
}

/**
 * A strategic patch is no JSON any more when its object is made: values are converted one by one
 * (apimachinery, `runtime/converter.go`), with texts of their own.
 */
function converterText(fault: string): string {
  const [, from = '', of = ''] =
    /^json: cannot unmarshal (\w+)(?: \S+)? into Go .*of type (.+)$/.exec(fault) ?? [];
  if (of === '') return fault;
  const number = from === 'number';
  // A name of its own does not make a text a struct.
  const text = of === 'string' || isNamedText(of);
  const scalar = text || /^(?:bool|u?int\d*|float\d+)$/.test(of);
  const kind =
    { object: 'map[string]interface {}', array: '[]interface {}' }[from] ?? (number ? 'int64' : from);
  if (of.startsWith('map[')) return `cannot restore map from ${from === 'array' ? 'slice' : kind}`;
  if (of.startsWith('[]')) return `cannot restore slice from ${from === 'object' ? 'map' : kind}`;
  if (number && text) return `cannot convert int64 to ${of}`;
  return scalar
    ? `unrecognized type: ${of}`
    : `cannot restore struct from: ${from === 'array' ? 'slice' : kind}`;
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
  keepEmpty = false,
): { object: KubeObject; unknown: string[] } {
  const findings = noFindings(type.custom !== undefined, keepEmpty);
  const form = canonical(body, type.schema, findings);
  if (findings.custom) findings.unknown.sort();
  const fault = findings.faults[0];
  if (fault !== undefined) {
    if (refuse) throw refuse(body, fault);
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${fault}`,
    );
  }
  const object = asObject(isObj(form) ? form : {}, apiVersionOf(type), type.kind);
  const empties = Array.isArray(at(body, 'metadata', 'managedFields')) && !object.metadata.managedFields;
  type.rules.defaults?.(object);
  // Defaults can bring structs whose own fields without omitempty are still missing.
  const again = canonical(object, type.schema, noFindings(type.custom !== undefined, keepEmpty));
  const decoded = asObject(isObj(again) ? again : {}, apiVersionOf(type), type.kind);
  // An empty list is a wish of its own: no one shall own anything.
  if (empties) decoded.metadata = { ...decoded.metadata, managedFields: [] };
  return { object: decoded, unknown: findings.unknown };
}

/** An object with only what a client mentioned: nothing is filled in. For server-side apply. */
export function decodeApplied(type: ResourceType, body: Obj, name: string): Obj {
  const { apiVersion, kind } = body;
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind) {
    const [version = '', group = ''] = textOf(apiVersion).split('/').reverse();
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${textOf(kind)}`);
  }
  const faults = typedFaults(body, type.custom ? customSchema(type.custom.openApi, true) : type.schema);
  if (faults.length === 0) return body;
  const [first = ''] = faults;
  const fault = faults.length === 1 ? first : `errors:\n${faults.map((one) => `  ${one}`).join('\n')}`;
  const { namespace } = isObj(body.metadata) ? body.metadata : {};
  const who = `${typeof namespace === 'string' ? namespace : ''}/${name}; ${type.group}/${type.version}, Kind=${type.kind}`;
  // A 500 without a reason, as recorded (golden: apply).
  throw new ApiError(500, undefined, `failed to create typed patch object (${who}): ${fault}`);
}

/** An empty object of the type: what a new object is compared with to find out what its writer owns. */
export function emptyObject(type: ResourceType): Obj {
  const form = canonical({ apiVersion: apiVersionOf(type), kind: type.kind }, type.schema, noFindings());
  return isObj(form) ? form : {};
}

/** Unknown fields of a body that is no object of a kind of its own. */
export function checkFields(kind: string, schema: Schema, body: Obj, options: WriteOptions): void {
  const findings = noFindings();
  const { apiVersion = '', kind: _, ...own } = body;
  canonical(own, schema, findings);
  const version = textOf(apiVersion).split('/').at(-1) || 'v1';
  const handled = `${kind} in version "${version}" cannot be handled as a ${kind}`;
  const [fault] = findings.faults;
  if (fault !== undefined) throw badRequest(`${handled}: ${fault}`);
  const texts = strictTexts(findings.unknown, options);
  if (texts.length === 0 || options.validation === 'Ignore') return;
  if (options.validation === 'Warn') options.warnings.push(...texts);
  else throw badRequest(`${handled}: strict decoding error: ${texts.join(', ')}`);
}

function strictTexts(unknown: readonly string[], { duplicates = [] }: WriteOptions): string[] {
  return [
    ...duplicates.map((field) => `duplicate field "${field}"`),
    ...unknown.map((field) => `unknown field "${field}"`),
  ];
}

/** A custom kind under another name is a value like any other, and a wrong one. */
function checkCustomKind(type: ResourceType, { kind, metadata }: Obj): void {
  const said = textOf(kind) || type.kind;
  if (type.custom === undefined || said === type.kind) return;
  throw invalid(type.group, said, textOf(at(metadata, 'name')), [
    invalidValue('kind', said, `must be ${type.kind}`),
  ]);
}

/** `why` is for a patch, `said` for a whole object. */
interface KindFault {
  readonly why: string;
  readonly said: string;
}

/** kubectl and the Go clients always send kind and version; the path fills in what is missing. */
function kindFault(type: ResourceType, body: Obj): KindFault | undefined {
  const kind = textOf(body.kind) || type.kind;
  const apiVersion = textOf(body.apiVersion) || apiVersionOf(type);
  if (kind === type.kind && apiVersion === apiVersionOf(type)) return undefined;
  const version = apiVersion.split('/').at(-1) ?? '';
  const handled = (why: string) => ({
    why,
    said: `${kind} in version "${version}" cannot be handled as a ${type.kind}: ${why}`,
  });
  const known = isKnownKind(apiVersion, kind) || (type.custom !== undefined && kind !== type.kind);
  if (!known && type.custom === undefined) {
    const shown = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
    return handled(shown);
  }
  if (type.custom !== undefined && kind !== type.kind) return undefined;
  if (kind === type.kind) {
    const said = `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`;
    return { why: said, said };
  }
  const internal = `${modulesOf(type.group)}.${type.kind}`;
  return handled(`converting (${version}.${kind}) to (${internal}): unknown conversion`);
}
