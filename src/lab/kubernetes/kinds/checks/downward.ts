import { type Obj, textOf } from '../../json.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../../status.js';
import { faultsAt } from './fields.js';
import { labelKeyFaults } from './texts.js';

/** Fields of a pod that its containers can ask for, as variables and as files. */
export const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const KNOWN = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const RESOURCES = ['limits', 'requests'].flatMap((part) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${part}.${name}`),
);
const DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function fieldRefErrors(ref: Obj, fields: readonly string[], field: string): FieldError[] {
  const path = textOf(ref.fieldPath);
  const version = textOf(ref.apiVersion);
  if (version === '') return [requiredValue(`${field}.apiVersion`)];
  if (path === '') return [requiredValue(`${field}.fieldPath`)];
  const [, subject = '', key = ''] = /^([^[]+)\['(.*)'\]$/.exec(path) ?? [];
  const fault = conversionFault(version, path, subject);
  if (fault) {
    return [invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: ${fault}`)];
  }
  if (subject !== '') {
    const shown = subject === 'metadata.annotations' ? key.toLowerCase() : key;
    return faultsAt(field, shown, labelKeyFaults(shown));
  }
  const internal = path === 'spec.host' ? 'spec.nodeName' : path;
  return fields.includes(internal)
    ? []
    : [unsupportedValue(`${field}.fieldPath`, internal, [...fields].sort())];
}

function conversionFault(version: string, path: string, subject: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (subject === 'metadata.annotations' || subject === 'metadata.labels') return undefined;
  if (subject !== '') return `field label does not support subscript: ${path}`;
  return KNOWN.has(path) ? undefined : `field label not supported: ${path}`;
}

/** `ofVolume`: a file says of which container. */
export function resourceRefErrors(ref: Obj, field: string, ofVolume: boolean): FieldError[] {
  const name = textOf(ref.resource);
  const errors: FieldError[] = [];
  if (ofVolume && textOf(ref.containerName) === '') errors.push(requiredValue(`${field}.containerName`));
  else if (name === '') errors.push(requiredValue(`${field}.resource`));
  else if (!RESOURCES.includes(name) && !/^(limits|requests)\.hugepages-/.test(name)) {
    errors.push(unsupportedValue(`${field}.resource`, name, RESOURCES));
  }
  return [...errors, ...divisorErrors(name, String(ref.divisor ?? '0'), field)];
}

function divisorErrors(name: string, divisor: string, field: string): FieldError[] {
  if (divisor === '0') return [];
  const of = name.split('.')[1] ?? '';
  if (of === 'cpu') {
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return ['1m', '1'].includes(divisor) ? [] : [invalidValue(`${field}.divisor`, name, detail)];
  }
  const shown = of === 'ephemeral-storage' ? 'local ephemeral storage' : of;
  const detail = `only divisor's values ${DIVISORS.join(', ')} are supported with the ${shown} resource`;
  return of === '' || DIVISORS.includes(divisor) ? [] : [invalidValue(`${field}.divisor`, name, detail)];
}
