import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notFoundValue,
  requiredValue,
  unsupportedValue,
} from '../status.js';
import { labelFault } from './names.js';
import { containerResourceErrors } from './resources.js';

/** The names of a pod's volumes that its containers may mount. */
type Volumes = ReadonlySet<string>;

function labelErrors(name: string, field: string): FieldError[] {
  const fault = labelFault(name);
  return fault ? [invalidValue(field, name, fault)] : [];
}

/** A named thing of a list: the name must be there and be a DNS label. */
function nameErrors(name: string, field: string): FieldError[] {
  return name === '' ? [requiredValue(field)] : labelErrors(name, field);
}

function oneOf(value: unknown, supported: readonly string[], field: string): FieldError[] {
  return value === undefined || supported.includes(textOf(value))
    ? []
    : [unsupportedValue(field, value, supported)];
}

/** `validateContainerCommon` of `pkg/apis/core/validation`. */
export function containerErrors(container: Obj, field: string, volumes: Volumes): FieldError[] {
  return [
    ...nameErrors(textOf(container.name), `${field}.name`),
    ...(textOf(container.image) === '' ? [requiredValue(`${field}.image`)] : []),
    ...oneOf(
      container.terminationMessagePolicy,
      ['FallbackToLogsOnError', 'File'],
      `${field}.terminationMessagePolicy`,
    ),
    ...portErrors(listOf(container.ports), `${field}.ports`),
    ...envErrors(listOf(container.env), `${field}.env`),
    ...mountErrors(listOf(container.volumeMounts), `${field}.volumeMounts`, volumes),
    ...oneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.imagePullPolicy`),
    ...containerResourceErrors(objOf(container.resources), `${field}.resources`),
  ];
}

const PORT_NAME = [
  [/^.{16,}$/, 'must be no more than 15 bytes'],
  [/[^-a-z0-9]/, 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
  [/^[^a-z]*$/, 'must contain at least one letter (a-z)'],
  [/--/, 'must not contain consecutive hyphens'],
  [/^-|-$/, 'must not begin or end with a hyphen'],
] as const;

function portFault(port: number): string | undefined {
  return port >= 1 && port <= 65535 ? undefined : 'must be between 1 and 65535, inclusive';
}

function portErrors(ports: readonly unknown[], field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((item, index) => {
    const { name, containerPort, hostPort, protocol } = objOf(item);
    const place = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const text = textOf(name);
    const faults = text === '' ? [] : PORT_NAME.filter(([pattern]) => pattern.test(text));
    for (const [, fault] of faults) errors.push(invalidValue(`${place}.name`, text, fault));
    if (text !== '' && faults.length === 0) {
      if (names.has(text)) errors.push(duplicateValue(`${place}.name`, text));
      names.add(text);
    }
    const number = typeof containerPort === 'number' ? containerPort : 0;
    const fault = portFault(number);
    if (number === 0) errors.push(requiredValue(`${place}.containerPort`));
    else if (fault) errors.push(invalidValue(`${place}.containerPort`, number, fault));
    const onHost = typeof hostPort === 'number' && hostPort !== 0 ? portFault(hostPort) : undefined;
    if (onHost) errors.push(invalidValue(`${place}.hostPort`, hostPort, onHost));
    return [...errors, ...oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${place}.protocol`)];
  });
}

const ENV_NAME =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

function envErrors(variables: readonly unknown[], field: string): FieldError[] {
  return variables.flatMap((item, index) => {
    const { name, value, valueFrom } = objOf(item);
    const place = `${field}[${index}]`;
    const text = textOf(name);
    const errors: FieldError[] = [];
    if (text === '') errors.push(requiredValue(`${place}.name`));
    else if (!/^[ -<>-~]+$/.test(text)) errors.push(invalidValue(`${place}.name`, text, ENV_NAME));
    if (isObj(valueFrom) && textOf(value) !== '') {
      errors.push(invalidValue(`${place}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    }
    return errors;
  });
}

function mountErrors(mounts: readonly unknown[], field: string, volumes: Volumes): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap((item, index) => {
    const { name, mountPath } = objOf(item);
    const place = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (textOf(name) === '') errors.push(requiredValue(`${place}.name`));
    if (!volumes.has(textOf(name))) errors.push(notFoundValue(`${place}.name`, name ?? ''));
    const path = textOf(mountPath);
    if (path === '') errors.push(requiredValue(`${place}.mountPath`));
    if (paths.has(path)) errors.push(invalidValue(`${place}.mountPath`, path, 'must be unique'));
    paths.add(path);
    return errors;
  });
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

export function probeErrors(container: Obj, field: string): FieldError[] {
  return PROBES.filter((name) => isObj(container[name])).flatMap((name) => {
    const probe = objOf(container[name]);
    const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter((kind) => isObj(probe[kind]));
    const place = `${field}.${name}`;
    const many = handlers
      .slice(1)
      .map((kind) => forbiddenValue(`${place}.${kind}`, 'may not specify more than 1 handler type'));
    const none = handlers.length === 0 ? [requiredValue(place, 'must specify a handler type')] : [];
    const negative = PROBE_NUMBERS.filter((number) => Number(probe[number] ?? 0) < 0).map((number) =>
      invalidValue(`${place}.${number}`, probe[number], 'must be greater than or equal to 0'),
    );
    const fixed = name !== 'readinessProbe' && Number(probe.successThreshold ?? 1) !== 1;
    return [
      ...many,
      ...none,
      ...negative,
      ...(fixed ? [invalidValue(`${place}.successThreshold`, probe.successThreshold, 'must be 1')] : []),
    ];
  });
}

/** Names of volumes, each once; what is wrong with one makes it no volume. */
export function volumeErrors(volumes: readonly unknown[], field: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((item, index) => {
    const volume = objOf(item);
    const name = textOf(volume.name);
    const place = `${field}[${index}]`;
    const sources = Object.keys(volume).filter((key) => key !== 'name' && isObj(volume[key]));
    const many = sources
      .slice(1)
      .map((key) => forbiddenValue(`${place}.${key}`, 'may not specify more than 1 volume type'));
    const twice = seen.has(name) ? [duplicateValue(`${place}.name`, name)] : [];
    const errors = [...many, ...nameErrors(name, `${place}.name`), ...twice];
    if (errors.length === 0) seen.add(name);
    return errors;
  });
}
