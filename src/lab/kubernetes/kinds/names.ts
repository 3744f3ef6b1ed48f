import type { Meta } from '../object.js';
import { type FieldError, invalidValue, requiredValue } from '../status.js';

export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment' | 'any';

const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
/** All of an object's annotations together (apimachinery, TotalAnnotationSizeLimitB). */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** The complaint of `apimachinery/pkg/util/validation` about a name, or nothing. */
function nameFault(name: string, rule: NameRule): string | undefined {
  switch (rule) {
    case 'subdomain':
      if (name.length > 253) return 'must be no more than 253 bytes';
      return new RegExp(`^${SUBDOMAIN}$`).test(name)
        ? undefined
        : `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
    case 'label':
      if (name.includes('.')) return 'must not contain dots';
      if (name.length > 63) return 'must be no more than 63 bytes';
      return new RegExp(`^${LABEL}$`).test(name)
        ? undefined
        : `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
    case 'service':
      return /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)
        ? undefined
        : `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`;
    case 'any':
      return undefined;
    case 'path-segment':
      if (name === '.' || name === '..') return `may not be '${name}'`;
      return /[/%]/.test(name) ? `may not contain '${name.includes('/') ? '/' : '%'}'` : undefined;
  }
}

export function metadataErrors(metadata: Meta, rule: NameRule): FieldError[] {
  const errors: FieldError[] = [];
  if (metadata.name === '') {
    errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  } else {
    const fault = nameFault(metadata.name, rule);
    if (fault) errors.push(invalidValue('metadata.name', metadata.name, fault));
  }
  errors.push(...labelErrors(metadata.labels, 'metadata.labels'));
  for (const key of Object.keys(metadata.annotations ?? {})) {
    const fault = keyFault(key.toLowerCase());
    if (fault) errors.push(invalidValue('metadata.annotations', key, fault));
  }
  const size = Object.entries(metadata.annotations ?? {}).reduce((sum, [key, value]) => {
    return sum + Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }, 0);
  if (size > ANNOTATIONS_LIMIT) {
    errors.push({
      field: 'metadata.annotations',
      type: 'Invalid',
      detail: `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes`,
    });
  }
  return errors;
}

function labelErrors(labels: Record<string, string> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    const fault = keyFault(key);
    if (fault) errors.push(invalidValue(field, key, fault));
    if (value.length > 63) errors.push(invalidValue(field, value, 'must be no more than 63 bytes'));
    else if (!new RegExp(`^${LABEL_VALUE}$`).test(value)) {
      errors.push(
        invalidValue(
          field,
          value,
          `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`,
        ),
      );
    }
  }
  return errors;
}

export function labelFault(text: string): string | undefined {
  return nameFault(text, 'label');
}

/** The complaint about a name such as `example.com/name`. */
export function qualifiedNameFault(name: string): string | undefined {
  return keyFault(name);
}

/** A qualified name: an optional DNS prefix and a name of at most 63. */
function keyFault(key: string): string | undefined {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) return "a qualified name must consist of alphanumeric characters, '-', '_' or '.'";
  if (parts.length === 2 && nameFault(parts[0] ?? '', 'subdomain')) {
    return `prefix part ${nameFault(parts[0] ?? '', 'subdomain')}`;
  }
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return new RegExp(`^${QUALIFIED_NAME}$`).test(name)
    ? undefined
    : `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;
}
