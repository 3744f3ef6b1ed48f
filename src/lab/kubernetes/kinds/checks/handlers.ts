import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from '../../status.js';
import { faultsAt, ifSaid, notNegative, oneOf } from './fields.js';
import { headerNameFaults, portFaults, portNameFaults } from './texts.js';

/** What a probe or a hook of a container does. */
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** A port by its number or by its name. */
export function portOrNameErrors(port: unknown, field: string): FieldError[] {
  if (typeof port === 'string') return faultsAt(field, port, portNameFaults(port));
  return faultsAt(field, port ?? 0, portFaults(Number(port ?? 0)));
}

function handlerErrors(given: Obj, field: string, grace: number): FieldError[] {
  const kinds = HANDLERS.filter((kind) => isObj(given[kind]));
  if (kinds.length === 0) return [requiredValue(field, 'must specify a handler type')];
  return kinds.flatMap((kind, index) =>
    index === 0
      ? actionErrors(kind, objOf(given[kind]), `${field}.${kind}`, grace)
      : [forbiddenValue(`${field}.${kind}`, 'may not specify more than 1 handler type')],
  );
}

function actionErrors(kind: string, action: Obj, field: string, grace: number): FieldError[] {
  switch (kind) {
    case 'exec':
      return listOf(action.command).length === 0 ? [requiredValue(`${field}.command`)] : [];
    case 'httpGet':
      return [
        ...(textOf(action.path) === '' ? [requiredValue(`${field}.path`)] : []),
        ...portOrNameErrors(action.port, `${field}.port`),
        ...oneOf(action.scheme, ['HTTP', 'HTTPS'], `${field}.scheme`),
        ...listOf(action.httpHeaders).flatMap((header) => {
          const name = textOf(objOf(header).name);
          return faultsAt(`${field}.httpHeaders`, name, headerNameFaults(name));
        }),
      ];
    case 'sleep': {
      const seconds = Number(action.seconds ?? 0);
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
      return seconds < 0 || seconds > grace ? [invalidValue(field, seconds, detail)] : [];
    }
    default:
      return portOrNameErrors(action.port, `${field}.port`);
  }
}

const NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

function probeErrors(name: string, probe: Obj, field: string, grace: number): FieldError[] {
  const errors = handlerErrors(probe, field, grace);
  for (const number of NUMBERS) errors.push(...notNegative(probe[number], `${field}.${number}`));
  const end = probe.terminationGracePeriodSeconds;
  const place = `${field}.terminationGracePeriodSeconds`;
  if (typeof end === 'number' && end <= 0) errors.push(invalidValue(place, end, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    const detail = 'must not be set for readinessProbes';
    return end === undefined ? errors : [...errors, invalidValue(place, end, detail)];
  }
  const times = probe.successThreshold;
  return times === 1 ? errors : [...errors, invalidValue(`${field}.successThreshold`, times, 'must be 1')];
}

export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

/** Hooks and probes of a container that runs on. */
export function runningErrors(container: Obj, field: string, grace: number, os: string): FieldError[] {
  const errors: FieldError[] = [];
  const lifecycle = objOf(container.lifecycle);
  for (const hook of ['postStart', 'preStop']) {
    if (!isObj(lifecycle[hook])) continue;
    errors.push(...handlerErrors(objOf(lifecycle[hook]), `${field}.lifecycle.${hook}`, grace));
  }
  if (lifecycle.stopSignal !== undefined) {
    const place = `${field}.lifecycle.stopSignal`;
    const detail = 'may not be set for containers with empty `spec.os.name`';
    if (os === '') errors.push(forbiddenValue(place, detail));
    else if (!/^SIG[A-Z0-9+]+$/.test(textOf(lifecycle.stopSignal))) {
      errors.push(...ifSaid(lifecycle.stopSignal, SIGNALS, place));
    }
  }
  for (const name of PROBES) {
    if (!isObj(container[name])) continue;
    errors.push(...probeErrors(name, objOf(container[name]), `${field}.${name}`, grace));
  }
  return errors;
}
