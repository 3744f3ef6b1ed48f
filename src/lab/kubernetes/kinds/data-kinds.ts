import { ownValue, setOwn } from '../../../formats/text/mapping.js';
import { objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue, tooLong } from '../status.js';
import { faultsAt } from './checks/fields.js';
import { jsonFault } from './checks/json-text.js';
import { dataKeyFaults } from './checks/texts.js';
import type { KindRules } from './resource-type.js';

/** All values of a config map or a secret together (`core.MaxSecretSize`). */
const SIZE_LIMIT = 1024 * 1024;
function keyErrors(values: unknown, field: string, twice: unknown = {}): FieldError[] {
  return Object.keys(objOf(values)).flatMap((key) => [
    ...faultsAt(`${field}[${key}]`, key, dataKeyFaults(key)),
    ...(Object.hasOwn(objOf(twice), key)
      ? [invalidValue(`${field}[${key}]`, key, 'duplicate of key present in binaryData')]
      : []),
  ]);
}

function sizeOf(values: unknown, encoded: boolean): number {
  return Object.values(objOf(values)).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(textOf(value), encoded ? 'base64' : 'utf8'),
    0,
  );
}

function immutableErrors(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbiddenValue('immutable', detail)]),
    ...fields
      .filter((field) => !sameJson(object[field], old[field]))
      .map((field) => forbiddenValue(field, detail)),
  ];
}

export const configMapRules: KindRules = {
  validate(map) {
    const size = sizeOf(map.data, false) + sizeOf(map.binaryData, true);
    return [
      ...keyErrors(map.data, 'data', map.binaryData),
      ...keyErrors(map.binaryData, 'binaryData'),
      ...(size > SIZE_LIMIT ? [tooLong('', SIZE_LIMIT)] : []),
    ];
  },
  validateUpdate: (map, old) => immutableErrors(map, old, ['data', 'binaryData']),
};

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** Secret type → the keys that it needs. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

function contentErrors(secret: KubeObject): FieldError[] {
  const data = objOf(secret.data);
  const type = textOf(secret.type);
  const lacks = (key: string) =>
    data[key] === undefined || (type === 'kubernetes.io/ssh-auth' && data[key] === '');
  const missing = (ownValue(NEEDED, type) ?? []).filter(lacks).map((key) => requiredValue(`data[${key}]`));
  if (missing.length > 0) return missing;
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return secret.metadata.annotations?.[ACCOUNT_NAME]
        ? []
        : [requiredValue(`metadata.annotations[${ACCOUNT_NAME}]`)];
    case 'kubernetes.io/basic-auth':
      return data.username === undefined && data.password === undefined
        ? [requiredValue('data[username]'), requiredValue('data[password]')]
        : [];
    case 'kubernetes.io/dockercfg':
    case 'kubernetes.io/dockerconfigjson':
      return jsonErrors(data, ownValue(NEEDED, type)?.[0] ?? '');
    default:
      return [];
  }
}

function jsonErrors(data: Record<string, unknown>, key: string): FieldError[] {
  const fault = jsonFault(Buffer.from(textOf(data[key]), 'base64').toString());
  return fault ? [invalidValue(`data[${key}]`, '<secret contents redacted>', fault)] : [];
}

export const secretRules: KindRules = {
  defaults(draft) {
    draft.type ??= 'Opaque';
    const written = objOf(draft.stringData);
    if (draft.stringData === undefined) return;
    const data: Record<string, unknown> = { ...objOf(draft.data) };
    for (const [key, value] of Object.entries(written)) {
      setOwn(data, key, Buffer.from(textOf(value)).toString('base64'));
    }
    delete draft.stringData;
    if (Object.keys(data).length > 0) draft.data = data;
  },
  validate: (secret) => [
    ...keyErrors(secret.data, 'data'),
    ...(sizeOf(secret.data, true) > SIZE_LIMIT ? [tooLong('data', SIZE_LIMIT)] : []),
    ...contentErrors(secret),
  ],
  validateUpdate: (secret, old) => [
    ...(secret.type === old.type ? [] : [invalidValue('type', secret.type, 'field is immutable')]),
    ...immutableErrors(secret, old, ['data']),
  ],
  fieldLabels: (secret) => ({ type: textOf(secret.type) }),
};
