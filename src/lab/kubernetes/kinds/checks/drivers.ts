/** CSI drivers and attachments (`pkg/apis/storage/validation`). */
import { isObj, listOf, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { each, faultsAt, ifSaid } from './fields.js';
import { csiDriverErrors } from './pod-volumes.js';
import { subdomainFaults } from './texts.js';

const SHORTEST = 600;
const LONGEST = 2 ** 32;

export function driverErrors(driver: KubeObject): FieldError[] {
  const spec = objOf(driver.spec);
  const audiences = new Set<string>();
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  return [
    ...ifSaid(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], 'spec.fsGroupPolicy'),
    ...each(spec.tokenRequests, 'spec.tokenRequests', ({ audience, expirationSeconds }, place) => {
      const name = textOf(audience);
      if (audiences.has(name)) return [duplicateValue(`${place}.audience`, name)];
      audiences.add(name);
      return lifetimeErrors(expirationSeconds, `${place}.expirationSeconds`);
    }),
    ...listOf(spec.volumeLifecycleModes).flatMap((mode) => modeErrors(textOf(mode))),
    ...(typeof period === 'number' && period < 10
      ? [
          invalidValue(
            'spec.nodeAllocatableUpdatePeriodSeconds',
            period,
            'must be greater than or equal to 10 seconds',
          ),
        ]
      : []),
  ];
}

/** A node without drivers is fine, a driver without a name is not. */
export function csiNodeErrors(node: KubeObject): FieldError[] {
  return each(objOf(node.spec).drivers, 'spec.drivers', ({ name, nodeID }, place) => [
    ...(textOf(name) === '' ? [requiredValue(`${place}.name`)] : []),
    ...(textOf(nodeID) === '' ? [requiredValue(`${place}.nodeID`)] : []),
  ]);
}

function modeErrors(mode: string): FieldError[] {
  const modes = ['Persistent', 'Ephemeral'];
  return modes.includes(mode) ? [] : [unsupportedValue('spec.volumeLifecycleModes', mode, modes)];
}

function lifetimeErrors(seconds: unknown, field: string): FieldError[] {
  if (typeof seconds !== 'number') return [];
  const short = 'may not specify a duration less than 10 minutes';
  const long = 'may not specify a duration larger than 2^32 seconds';
  return [
    ...(seconds < SHORTEST ? [invalidValue(field, seconds, short)] : []),
    ...(seconds > LONGEST ? [invalidValue(field, seconds, long)] : []),
  ];
}

export function attachmentErrors(attachment: KubeObject): FieldError[] {
  const spec = objOf(attachment.spec);
  const node = textOf(spec.nodeName);
  const attacher = csiDriverErrors(textOf(spec.attacher), 'spec.attacher').map(anyCase);
  const missing = textOf(spec.attacher) === '';
  return [
    ...(missing ? [] : attacher),
    ...attachedSourceErrors(objOf(spec.source)),
    ...faultsAt('spec.nodeName', node, subdomainFaults(node)),
    // That it is missing is found by the rules that are generated, which come last.
    ...(missing ? attacher : []),
  ];
}

/** Here capitals are allowed, and the text says so. */
function anyCase(error: FieldError): FieldError {
  const detail = error.detail
    .replace('a lowercase RFC', 'an RFC')
    .replace('lower case alphanumeric', 'alphanumeric')
    .replace("e.g. 'example.com'", "e.g. 'Example.com'");
  return { ...error, detail };
}

function attachedSourceErrors({
  persistentVolumeName: name,
  inlineVolumeSpec: inline,
}: Record<string, unknown>) {
  const field = 'spec.source';
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (name === undefined && !isObj(inline)) return [requiredValue(field, one)];
  if (name !== undefined && isObj(inline)) return [forbiddenValue(field, one)];
  if (name === undefined) return [];
  const place = `${field}.persistentVolumeName`;
  if (textOf(name) === '') return [requiredValue(place, 'must specify non empty persistentVolumeName')];
  return faultsAt(place, name, subdomainFaults(textOf(name)));
}
