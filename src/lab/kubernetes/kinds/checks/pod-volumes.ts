import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { parseQuantity } from '../../schema/quantity.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from '../../status.js';
import { claimSpecErrors } from './claims.js';
import { fieldRefErrors, resourceRefErrors, VOLUME_FIELDS } from './downward.js';
import { backstepErrors, each, faultsAt, ifSaid, oneOf, ownPathErrors } from './fields.js';
import { dnsLabelFaults, idFaults, subdomainFaults } from './texts.js';

export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const HOST_PATHS = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** The kinds of volumes in the order in which the server looks at them; others come last. */
const ORDER = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'secret',
  'nfs',
  'iscsi',
  'persistentVolumeClaim',
  'rbd',
  'cephfs',
  'downwardAPI',
  'fc',
  'configMap',
  'projected',
  'csi',
  'ephemeral',
  'image',
];

/** Names of volumes, each once; what is wrong with one makes it no volume. */
export function volumeErrors(
  volumes: readonly unknown[],
  field: string,
): { readonly errors: FieldError[]; readonly volumes: ReadonlyMap<string, Obj> } {
  const seen = new Map<string, Obj>();
  const errors = each(volumes, field, (volume, place) => {
    const name = textOf(volume.name);
    const twice = seen.has(name) ? [duplicateValue(`${place}.name`, name)] : [];
    const named =
      name === '' ? [requiredValue(`${place}.name`)] : faultsAt(`${place}.name`, name, dnsLabelFaults(name));
    const found = [...sourceErrors(volume, place), ...named, ...twice];
    if (found.length === 0) seen.set(name, volume);
    return found;
  });
  return { errors, volumes: seen };
}

function rank(source: string): number {
  const index = ORDER.indexOf(source);
  return index < 0 ? ORDER.length : index;
}

function sourceErrors(volume: Obj, place: string): FieldError[] {
  const sources = Object.keys(volume)
    .filter((key) => key !== 'name' && isObj(volume[key]))
    .sort((a, b) => rank(a) - rank(b));
  if (sources.length === 0) return [requiredValue(place, 'must specify a volume type')];
  return sources.flatMap((source, index) =>
    index === 0
      ? volumeSourceErrors(source, objOf(volume[source]), `${place}.${source}`)
      : [
          forbiddenValue(
            `${place}.${source === 'downwardAPI' ? 'downwarAPI' : source}`,
            'may not specify more than 1 volume type',
          ),
        ],
  );
}

/** The faults of one source, also of those that persistent volumes share. */
export function volumeSourceErrors(kind: string, source: Obj, place: string): FieldError[] {
  switch (kind) {
    case 'emptyDir':
      return emptyDirErrors(source, place);
    case 'hostPath':
      return hostPathErrors(source, place);
    case 'secret':
      return filesErrors(source, 'secretName', place);
    case 'configMap':
      return filesErrors(source, 'name', place);
    case 'nfs':
      return nfsErrors(source, place);
    case 'persistentVolumeClaim':
      return textOf(source.claimName) === '' ? [requiredValue(`${place}.claimName`)] : [];
    case 'downwardAPI':
      return [
        ...modeErrors(source.defaultMode, `${place}.defaultMode`),
        ...listOf(source.items).flatMap((item) => downwardFileErrors(objOf(item), place)),
      ];
    case 'projected':
      return projectedErrors(source, place);
    case 'csi':
      return csiDriverErrors(textOf(source.driver), `${place}.driver`);
    case 'ephemeral':
      return isObj(source.volumeClaimTemplate)
        ? claimSpecErrors(objOf(source.volumeClaimTemplate.spec), `${place}.volumeClaimTemplate.spec`)
        : [requiredValue(`${place}.volumeClaimTemplate`)];
    case 'image':
      return [
        ...(textOf(source.reference) === '' ? [requiredValue(`${place}.reference`)] : []),
        ...oneOf(source.pullPolicy, PULL_POLICIES, `${place}.pullPolicy`),
      ];
    default:
      return [];
  }
}

function emptyDirErrors({ sizeLimit }: Obj, place: string): FieldError[] {
  const below = sizeLimit !== undefined && (parseQuantity(String(sizeLimit))?.nano ?? 0n) < 0n;
  const detail = 'SizeLimit field must be a valid resource quantity';
  return below ? [forbiddenValue(`${place}.sizeLimit`, detail)] : [];
}

function hostPathErrors(source: Obj, place: string): FieldError[] {
  const path = textOf(source.path);
  if (path === '') return [requiredValue(`${place}.path`)];
  return [...backstepErrors(path, `${place}.path`), ...ifSaid(source.type, HOST_PATHS, `${place}.type`)];
}

function nfsErrors(source: Obj, place: string): FieldError[] {
  const path = textOf(source.path);
  const errors = textOf(source.server) === '' ? [requiredValue(`${place}.server`)] : [];
  if (path === '') return [...errors, requiredValue(`${place}.path`)];
  const detail = 'must be an absolute path';
  return path.startsWith('/') ? errors : [...errors, invalidValue(`${place}.path`, path, detail)];
}

const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

function modeErrors(mode: unknown, field: string): FieldError[] {
  return typeof mode === 'number' && (mode < 0 || mode > 0o777) ? [invalidValue(field, mode, MODE)] : [];
}

function userErrors(user: unknown, field: string): FieldError[] {
  return typeof user === 'number' ? faultsAt(field, user, idFaults(user)) : [];
}

function filesErrors(source: Obj, name: string, place: string): FieldError[] {
  return [
    ...(textOf(source[name]) === '' ? [requiredValue(`${place}.${name}`)] : []),
    ...modeErrors(source.defaultMode, `${place}.defaultMode`),
    ...userErrors(source.defaultUser, `${place}.defaultUser`),
    ...each(source.items, `${place}.items`, keyToPathErrors),
  ];
}

function keyToPathErrors(item: Obj, place: string): FieldError[] {
  return [
    ...['key', 'path']
      .filter((part) => textOf(item[part]) === '')
      .map((part) => requiredValue(`${place}.${part}`)),
    ...ownPathErrors(textOf(item.path), `${place}.path`),
    ...modeErrors(item.mode, `${place}.mode`),
    ...userErrors(item.user, `${place}.user`),
  ];
}

function downwardFileErrors(file: Obj, place: string): FieldError[] {
  const path = textOf(file.path);
  const errors = path === '' ? [requiredValue(`${place}.path`)] : [];
  errors.push(...ownPathErrors(path, `${place}.path`));
  if (isObj(file.fieldRef)) {
    errors.push(...fieldRefErrors(file.fieldRef, VOLUME_FIELDS, `${place}.fieldRef`));
    const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    if (isObj(file.resourceFieldRef)) errors.push(invalidValue(place, 'resource', detail));
  } else if (isObj(file.resourceFieldRef)) {
    errors.push(...resourceRefErrors(file.resourceFieldRef, `${place}.resourceFieldRef`, true));
  } else errors.push(requiredValue(place, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...modeErrors(file.mode, `${place}.mode`)];
}

function projectedErrors(source: Obj, place: string): FieldError[] {
  const paths = new Set<string>();
  const clash = (path: string, name: string): FieldError[] => {
    const detail = 'conflicting duplicate paths';
    if (path === '') return [];
    const errors = paths.has(path) ? [invalidValue(place, name || path, detail)] : [];
    paths.add(path);
    return errors;
  };
  const errors = each(source.sources, `${place}.sources`, (part, at) => {
    const kinds = Object.keys(part).filter((key) => isObj(part[key]));
    if (kinds.length === 0) return [requiredValue(at, 'must specify a projection source')];
    return kinds.flatMap((kind) => [
      ...projectionErrors(kind, objOf(part[kind]), `${at}.${kind}`),
      ...listOf(objOf(part[kind]).items).flatMap((item) =>
        clash(textOf(objOf(item).path), textOf(objOf(part[kind]).name)),
      ),
    ]);
  });
  return [...modeErrors(source.defaultMode, `${place}.defaultMode`), ...errors];
}

function projectionErrors(kind: string, part: Obj, at: string): FieldError[] {
  if (kind === 'secret' || kind === 'configMap') {
    return [
      ...(textOf(part.name) === '' ? [requiredValue(`${at}.name`)] : []),
      ...each(part.items, `${at}.items`, keyToPathErrors),
    ];
  }
  // Its files are told of without their place in the list.
  if (kind === 'downwardAPI')
    return listOf(part.items).flatMap((item) => downwardFileErrors(objOf(item), at));
  if (kind !== 'serviceAccountToken') return [];
  const path = textOf(part.path);
  const lasts = Number(part.expirationSeconds ?? 3600);
  const errors =
    lasts < 600
      ? [invalidValue(`${at}.expirationSeconds`, lasts, 'may not specify a duration less than 10 minutes')]
      : [];
  return path === ''
    ? [...errors, requiredValue(`${at}.path`)]
    : [...errors, ...ownPathErrors(path, `${at}.path`)];
}

/** The name of a CSI driver, in capitals or not. */
export function csiDriverErrors(driver: string, field: string): FieldError[] {
  if (driver === '') return [requiredValue(field)];
  const long: FieldError = { field, type: 'TooLong', detail: 'Too long: may not be more than 63 bytes' };
  return [
    ...(driver.length > 63 ? [long] : []),
    ...faultsAt(field, driver, subdomainFaults(driver.toLowerCase())),
  ];
}
