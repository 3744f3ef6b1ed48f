import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
} from '../../status.js';
import { accessModeErrors, classNameErrors, positiveQuantity, VOLUME_MODES } from './claims.js';
import { backstepErrors, each, faultsAt, ifSaid } from './fields.js';
import { csiDriverErrors, volumeSourceErrors } from './pod-volumes.js';
import { nodeSelectorErrors } from './scheduling.js';
import { labelKeyFaults } from './texts.js';

/** The fields of a PersistentVolume's spec that are no volume source. */
const OWN_FIELDS = [
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
];
/** In the order in which they are checked: the second one is too many. */
const SOURCES =
  'hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi'.split(
    ' ',
  );

export function sourceOf(volume: KubeObject): Obj {
  const entries = Object.entries(objOf(volume.spec)).filter(([field]) => !OWN_FIELDS.includes(field));
  return Object.fromEntries(entries);
}

/** `ValidatePersistentVolumeSpec`. */
export function persistentVolumeErrors(volume: KubeObject): FieldError[] {
  const spec = objOf(volume.spec);
  const policies = ['Delete', 'Recycle', 'Retain'];
  const required = objOf(spec.nodeAffinity).required;
  const root = /^\/+$/.test(textOf(objOf(spec.hostPath).path));
  const recycled = root && spec.persistentVolumeReclaimPolicy === 'Recycle';
  const wipe = "may not be 'recycle' for a hostPath mount of '/'";
  return [
    ...(listOf(spec.accessModes).length === 0 ? [requiredValue('spec.accessModes')] : []),
    ...accessModeErrors(spec.accessModes, 'spec.accessModes'),
    ...capacityErrors(spec.capacity),
    ...ifSaid(spec.persistentVolumeReclaimPolicy, policies, 'spec.persistentVolumeReclaimPolicy'),
    ...affinityErrors(spec.nodeAffinity),
    ...sourceErrors(volume, isObj(required)),
    ...(recycled ? [forbiddenValue('spec.persistentVolumeReclaimPolicy', wipe)] : []),
    ...classNameErrors(spec.storageClassName, 'spec.storageClassName'),
    ...ifSaid(spec.volumeMode, VOLUME_MODES, 'spec.volumeMode'),
  ];
}

function capacityErrors(capacity: unknown): FieldError[] {
  const field = 'spec.capacity';
  const names = Object.keys(objOf(capacity));
  const shown = Object.fromEntries(Object.entries(objOf(capacity)).sort());
  const odd = !names.includes('storage') || names.length > 1;
  return [
    ...(names.length === 0 ? [requiredValue(field)] : []),
    ...(odd ? [unsupportedValue(field, shown, ['storage'])] : []),
    ...Object.entries(objOf(capacity)).flatMap(([name, size]) =>
      String(size).startsWith('-')
        ? [
            invalidValue(`${field}[${name}]`, size, 'must be a valid resource quantity'),
            ...positiveQuantity(size, `${field}[${name}]`),
          ]
        : positiveQuantity(size, `${field}[${name}]`),
    ),
  ];
}

function affinityErrors(affinity: unknown): FieldError[] {
  if (!isObj(affinity)) return [];
  const field = 'spec.nodeAffinity.required';
  return isObj(affinity.required)
    ? nodeSelectorErrors(affinity.required, field)
    : [requiredValue(field, 'must specify required node constraints')];
}

function sourceErrors(volume: KubeObject, bound: boolean): FieldError[] {
  const sources = Object.entries(sourceOf(volume)).sort(
    ([a], [b]) => SOURCES.indexOf(a) - SOURCES.indexOf(b),
  );
  if (sources.length === 0) return [requiredValue('spec', 'must specify a volume type')];
  return sources.flatMap(([kind, item], index) => {
    const field = `spec.${kind}`;
    if (index > 0) return [forbiddenValue(field, 'may not specify more than 1 volume type')];
    const source = objOf(item);
    if (kind === 'csi') return csiErrors(source, field);
    if (kind === 'local') return localErrors(source, field, bound);
    return volumeSourceErrors(kind, source, field);
  });
}

function localErrors({ path }: Obj, field: string, bound: boolean): FieldError[] {
  const text = textOf(path);
  const place = `${field}.path`;
  return [
    ...(text === '' ? [requiredValue(place)] : backstepErrors(text, place)),
    ...(bound ? [] : [requiredValue('spec.nodeAffinity', 'Local volume requires node affinity')]),
  ];
}

function csiErrors(source: Obj, field: string): FieldError[] {
  const handle = textOf(source.volumeHandle) === '' ? [requiredValue(`${field}.volumeHandle`)] : [];
  return [...csiDriverErrors(textOf(source.driver), `${field}.driver`), ...handle];
}

const MOST_PARAMETERS = 512;
const PARAMETERS_SIZE = 256 * 1024;

/** `ValidateStorageClass`. */
export function storageClassErrors(storageClass: KubeObject): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = storageClass;
  const name = textOf(provisioner);
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  return [
    ...(name === '' ? [] : faultsAt('provisioner', name.toLowerCase(), labelKeyFaults(name.toLowerCase()))),
    ...parameterErrors(objOf(parameters)),
    ...ifSaid(reclaimPolicy, ['Delete', 'Retain'], 'reclaimPolicy'),
    ...ifSaid(volumeBindingMode, modes, 'volumeBindingMode'),
    ...topologyErrors(storageClass.allowedTopologies),
    ...(name === '' ? [requiredValue('provisioner')] : []),
  ];
}

/** `ValidateTopologySelectorTerm` of each, and no two alike. */
function topologyErrors(topologies: unknown): FieldError[] {
  const terms = new Set<string>();
  return each(topologies, 'allowedTopologies', ({ matchLabelExpressions }, place) => {
    const field = `${place}.matchLabelExpressions`;
    const keys = new Set<string>();
    const errors = each(matchLabelExpressions, field, ({ key, values }, at) => {
      const name = textOf(key);
      const own = [...topologyValueErrors(listOf(values), `${at}.values`)];
      own.push(...faultsAt(`${at}.key`, key ?? '', labelKeyFaults(name)));
      if (keys.has(name)) own.push(duplicateValue(`${at}.key`, name));
      keys.add(name);
      return own;
    });
    const term = JSON.stringify(
      listOf(matchLabelExpressions)
        .map((item) => [textOf(objOf(item).key), [...listOf(objOf(item).values)].sort()])
        .sort(),
    );
    if (terms.has(term)) errors.push(duplicateValue(field, ''));
    terms.add(term);
    return errors;
  });
}

function topologyValueErrors(values: readonly unknown[], field: string): FieldError[] {
  if (values.length === 0) return [requiredValue(field)];
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [duplicateValue(`${field}[${index}]`, value)] : [],
  );
}

function parameterErrors(parameters: Obj): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MOST_PARAMETERS) return [tooLong('parameters', MOST_PARAMETERS)];
  const size = entries.reduce((sum, [key, value]) => sum + key.length + textOf(value).length, 0);
  return [
    ...entries
      .filter(([key]) => key === '')
      .map(() => invalidValue('parameters', '', 'field can not be empty.')),
    ...(size > PARAMETERS_SIZE ? [tooLong('parameters', PARAMETERS_SIZE)] : []),
  ];
}
