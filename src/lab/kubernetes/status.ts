/** The API's own answers about itself: `kind: Status`, with the texts of kube-apiserver (golden/kubernetes). */
import type { ResourceType } from './kinds/resource-type.js';

interface Cause {
  reason?: string;
  message: string;
  field?: string;
}

interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: Cause[];
  retryAfterSeconds?: number;
}

export interface StatusBody {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, never>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: number,
    readonly reason: string | undefined,
    message: string,
    readonly details?: StatusDetails,
  ) {
    super(message);
  }

  body(): StatusBody {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** `nodes`, `leases.coordination.k8s.io`. */
export function qualified(group: string, name: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function about(type: Pick<ResourceType, 'group'>, kind: string, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(type.group === '' ? {} : { group: type.group }), kind };
}

export function notFound(type: Pick<ResourceType, 'group' | 'plural'>, name: string): ApiError {
  const message = `${qualified(type.group, type.plural)} "${name}" not found`;
  return new ApiError(404, 'NotFound', message, about(type, type.plural, name));
}

export function alreadyExists(type: ResourceType, name: string): ApiError {
  const message = `${qualified(type.group, type.plural)} "${name}" already exists`;
  return new ApiError(409, 'AlreadyExists', message, about(type, type.plural, name));
}

export function modified(type: ResourceType, name: string): ApiError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(type, name, why);
}

export function conflict(type: Pick<ResourceType, 'group' | 'plural'>, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(type.group, type.plural)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, about(type, type.plural, name));
}

/** A delete precondition names the kind, not the resource (golden: nodes-crud). */
export function preconditionFailed(type: ResourceType, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(type.group, type.kind)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, about(type, type.kind, name));
}

export function forbidden(type: ResourceType, name: string, why: string, causes?: Cause[]): ApiError {
  const subject = qualified(type.group, type.plural) + (name === '' ? '' : ` "${name}"`);
  const details = { ...about(type, type.plural, name), ...(causes ? { causes } : {}) };
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details);
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', message, {});
}

export function resourceUnknown(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

type FieldErrorType =
  | 'Invalid'
  | 'Required'
  | 'NotSupported'
  | 'Duplicate'
  | 'Forbidden'
  | 'TypeInvalid'
  | 'TooLong'
  | 'TooMany'
  | 'NotFound';

/** One fault of one field, as `field.Error` of apimachinery. */
export interface FieldError {
  readonly field: string;
  readonly type: FieldErrorType;
  readonly detail: string;
}

const REASONS: Record<FieldErrorType, string> = {
  Invalid: 'FieldValueInvalid',
  Required: 'FieldValueRequired',
  NotSupported: 'FieldValueNotSupported',
  Duplicate: 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  TypeInvalid: 'FieldValueTypeInvalid',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
  NotFound: 'FieldValueNotFound',
};

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { field, type: 'Invalid', detail: `Invalid value: ${valueText(value)}: ${detail}` };
}

export function requiredValue(field: string, detail = ''): FieldError {
  return { field, type: 'Required', detail: `Required value${detail === '' ? '' : `: ${detail}`}` };
}

export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((item) => `"${item}"`).join(', ');
  return {
    field,
    type: 'NotSupported',
    detail: `Unsupported value: ${valueText(value)}: supported values: ${list}`,
  };
}

export function duplicateValue(field: string, value: unknown, detail = ''): FieldError {
  return {
    field,
    type: 'Duplicate',
    detail: `Duplicate value: ${valueText(value)}${detail === '' ? '' : `: ${detail}`}`,
  };
}

export function forbiddenValue(field: string, detail: string): FieldError {
  return { field, type: 'Forbidden', detail: `Forbidden: ${detail}` };
}

export function tooLong(field: string, bytes: number): FieldError {
  return { field, type: 'TooLong', detail: `Too long: may not be more than ${bytes} bytes` };
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return { field, type: 'NotFound', detail: `Not found: ${valueText(value)}` };
}

function valueText(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

/** 422 with one cause per fault; `group` and `kind` of what was sent. */
export function invalid(group: string, kind: string, name: string, all: readonly FieldError[]): ApiError {
  const errors = all.filter(
    (error, index) => all.findIndex((e) => e.field === error.field && e.detail === error.detail) === index,
  );
  const texts = errors.map((error) => `${error.field}: ${error.detail}`);
  const said = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualified(group, kind)} "${name}" is invalid: ${said}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes: errors.map((error) => ({
      reason: REASONS[error.type],
      message: error.detail,
      field: error.field,
    })),
  });
}
