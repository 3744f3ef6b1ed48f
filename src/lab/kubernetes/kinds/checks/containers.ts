import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notFoundValue,
  requiredValue,
} from '../../status.js';
import { containerResourceErrors } from '../resources.js';
import { ENV_FIELDS, fieldRefErrors, resourceRefErrors } from './downward.js';
import { descendingPathErrors, each, faultsAt, ifSaid, oneOf } from './fields.js';
import { PULL_POLICIES } from './pod-volumes.js';
import { securityContextErrors } from './security-context.js';
import {
  dataKeyFaults,
  dnsLabelFaults,
  envNameFaults,
  portFaults,
  portNameFaults,
  subdomainFaults,
} from './texts.js';

/** The pod's volumes by name. */
type Volumes = ReadonlyMap<string, Obj>;

/** `validateContainerCommon` of `pkg/apis/core/validation`. */
export function containerErrors(
  container: Obj,
  field: string,
  volumes: Volumes,
  restart: string,
): FieldError[] {
  const name = textOf(container.name);
  return [
    ...(name === ''
      ? [requiredValue(`${field}.name`)]
      : faultsAt(`${field}.name`, name, dnsLabelFaults(name))),
    ...(textOf(container.image) === '' ? [requiredValue(`${field}.image`)] : []),
    ...oneOf(
      container.terminationMessagePolicy,
      ['File', 'FallbackToLogsOnError'],
      `${field}.terminationMessagePolicy`,
    ),
    ...containerPortErrors(listOf(container.ports), `${field}.ports`),
    ...each(container.env, `${field}.env`, envErrors),
    ...envFromErrors(container.envFrom, `${field}.envFrom`),
    ...mountErrors(container, `${field}.volumeMounts`, volumes),
    ...deviceErrors(container, `${field}.volumeDevices`, volumes),
    ...oneOf(container.imagePullPolicy, PULL_POLICIES, `${field}.imagePullPolicy`),
    ...containerResourceErrors(objOf(container.resources), `${field}.resources`),
    ...resizeErrors(listOf(container.resizePolicy), `${field}.resizePolicy`, restart),
    ...securityContextErrors(container.securityContext, `${field}.securityContext`),
  ];
}

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function containerPortErrors(ports: readonly unknown[], field: string): FieldError[] {
  const names = new Set<string>();
  return each(ports, field, ({ name, containerPort, hostPort, protocol }, place) => {
    const errors: FieldError[] = [];
    const text = textOf(name);
    const faults = text === '' ? [] : portNameFaults(text);
    errors.push(...faultsAt(`${place}.name`, text, faults));
    if (text !== '' && faults.length === 0) {
      if (names.has(text)) errors.push(duplicateValue(`${place}.name`, text));
      names.add(text);
    }
    const number = typeof containerPort === 'number' ? containerPort : 0;
    if (number === 0) errors.push(requiredValue(`${place}.containerPort`));
    else errors.push(...faultsAt(`${place}.containerPort`, number, portFaults(number)));
    if (typeof hostPort === 'number' && hostPort !== 0) {
      errors.push(...faultsAt(`${place}.hostPort`, hostPort, portFaults(hostPort)));
    }
    return [...errors, ...oneOf(protocol, PROTOCOLS, `${place}.protocol`)];
  });
}

/** A port of the host is one container's. */
export function hostPortErrors(containers: readonly Obj[], field: string): FieldError[] {
  const seen = new Set<string>();
  return each(containers, field, ({ ports }, place) =>
    each(ports, `${place}.ports`, ({ protocol, hostIP, hostPort }, at) => {
      if (typeof hostPort !== 'number' || hostPort === 0) return [];
      const text = `${textOf(protocol)}/${textOf(hostIP)}/${hostPort}`;
      const twice = seen.has(text);
      seen.add(text);
      return twice ? [duplicateValue(`${at}.hostPort`, text)] : [];
    }),
  );
}

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function envErrors({ name, value, valueFrom }: Obj, place: string): FieldError[] {
  const text = textOf(name);
  const errors =
    text === '' ? [requiredValue(`${place}.name`)] : faultsAt(`${place}.name`, text, envNameFaults(text));
  if (!isObj(valueFrom)) return errors;
  const field = `${place}.valueFrom`;
  const given = SOURCES.filter((source) => isObj(valueFrom[source]));
  for (const source of given)
    errors.push(...sourceErrors(source, objOf(valueFrom[source]), `${field}.${source}`));
  const names = SOURCES.slice(0, -1)
    .map((source) => `\`${source}\``)
    .join(', ');
  const detail = `must specify one of: ${names} or \`fileKeyRef\``;
  if (given.length === 0) errors.push(invalidValue(field, '', detail));
  else if (textOf(value) !== '') {
    errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
  } else if (given.length > 1) {
    errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function sourceErrors(source: string, ref: Obj, field: string): FieldError[] {
  if (source === 'fieldRef') return fieldRefErrors(ref, ENV_FIELDS, field);
  if (source === 'resourceFieldRef') return resourceRefErrors(ref, field, false);
  if (source === 'fileKeyRef') return [];
  const [name, key] = [textOf(ref.name), textOf(ref.key)];
  return [
    ...faultsAt(`${field}.name`, name, subdomainFaults(name)),
    ...(key === '' ? [requiredValue(`${field}.key`)] : faultsAt(`${field}.key`, key, dataKeyFaults(key))),
  ];
}

function envFromErrors(sources: unknown, field: string): FieldError[] {
  return each(sources, field, (source, place) => {
    const prefix = textOf(source.prefix);
    const errors = faultsAt(`${place}.prefix`, prefix, envNameFaults(prefix));
    const given = ['configMapRef', 'secretRef'].filter((kind) => isObj(source[kind]));
    for (const kind of given) {
      const name = textOf(objOf(source[kind]).name);
      const at = `${place}.${kind}.name`;
      errors.push(...(name === '' ? [requiredValue(at)] : faultsAt(at, name, subdomainFaults(name))));
    }
    const none = 'must specify one of: `configMapRef` or `secretRef`';
    const many = 'may not have more than one field specified at a time';
    return given.length === 1
      ? errors
      : [...errors, invalidValue(field, '', given.length === 0 ? none : many)];
  });
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

function mountErrors(container: Obj, field: string, volumes: Volumes): FieldError[] {
  const paths = new Set<string>();
  const devices = listOf(container.volumeDevices).map(objOf);
  return each(container.volumeMounts, field, (mount, place) => {
    const name = textOf(mount.name);
    const path = textOf(mount.mountPath);
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredValue(`${place}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${place}.name`, name));
    if (path === '') errors.push(requiredValue(`${place}.mountPath`));
    if (paths.has(path)) errors.push(invalidValue(`${place}.mountPath`, path, 'must be unique'));
    paths.add(path);
    if (devices.some((device) => device.name === name)) {
      errors.push(invalidValue(`${place}.name`, name, 'must not already exist in volumeDevices'));
    }
    if (devices.some((device) => device.devicePath === path)) {
      const detail = 'must not already exist as a path in volumeDevices';
      errors.push(invalidValue(`${place}.mountPath`, path, detail));
    }
    return [...errors, ...subPathErrors(mount, field, place), ...propagationErrors(mount, container, field)];
  });
}

function subPathErrors({ subPath, subPathExpr }: Obj, field: string, place: string): FieldError[] {
  const [plain, expression] = [textOf(subPath), textOf(subPathExpr)];
  const errors = descendingPathErrors(plain, `${field}.subPath`);
  if (expression === '') return errors;
  const detail = 'subPathExpr and subPath are mutually exclusive';
  if (plain !== '') errors.push(invalidValue(`${place}.subPathExpr`, expression, detail));
  return [...errors, ...descendingPathErrors(expression, `${field}.subPathExpr`)];
}

function propagationErrors({ mountPropagation }: Obj, container: Obj, field: string): FieldError[] {
  const place = `${field}.mountPropagation`;
  const errors = ifSaid(mountPropagation, PROPAGATIONS, place);
  const privileged = objOf(container.securityContext).privileged === true;
  const detail = 'Bidirectional mount propagation is available only to privileged containers';
  return mountPropagation === 'Bidirectional' && !privileged
    ? [...errors, forbiddenValue(place, detail)]
    : errors;
}

function deviceErrors(container: Obj, field: string, volumes: Volumes): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return each(container.volumeDevices, field, (device, place) => {
    const [name, path] = [textOf(device.name), textOf(device.devicePath)];
    const volume = volumes.get(name);
    const block = isObj(volume?.persistentVolumeClaim) || isObj(volume?.ephemeral);
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredValue(`${place}.name`));
    if (names.has(name)) errors.push(invalidValue(`${place}.name`, name, 'must be unique'));
    if (volume && !block) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidValue(`${place}.name`, name, detail));
    }
    if (!volume) errors.push(notFoundValue(`${place}.name`, name));
    if (path === '') errors.push(requiredValue(`${place}.devicePath`));
    if (paths.has(path)) errors.push(invalidValue(`${place}.devicePath`, path, 'must be unique'));
    if (path.split('/').includes('..')) {
      errors.push(invalidValue(`${place}.devicePath`, path, "can not contain backsteps ('..')"));
    } else paths.add(path);
    names.add(name);
    return errors;
  });
}

function resizeErrors(policies: readonly unknown[], field: string, restart: string): FieldError[] {
  const seen = new Set<string>();
  return each(policies, field, ({ resourceName, restartPolicy }, place) => {
    const name = textOf(resourceName);
    const errors = seen.has(name) ? [duplicateValue(place, name)] : [];
    seen.add(name);
    errors.push(...oneOf(name, ['cpu', 'memory'], field));
    errors.push(...oneOf(restartPolicy, ['NotRequired', 'RestartContainer'], field));
    const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return restart === 'Never' && restartPolicy !== 'NotRequired'
      ? [...errors, invalidValue(field, restartPolicy, detail)]
      : errors;
  });
}
