import { at, isObj, listOf, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import type { KindRules } from './resource-type.js';

/** Admission StorageObjectInUseProtection. */
function protect(draft: KubeObject, finalizer: string): void {
  draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizer])];
}

/** The fields of a PersistentVolume's spec that are no volume source. */
const PV_OWN_FIELDS = [
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

function sourceOf(volume: KubeObject): Record<string, unknown> {
  const entries = Object.entries(objOf(volume.spec)).filter(([field]) => !PV_OWN_FIELDS.includes(field));
  return Object.fromEntries(entries);
}

export const persistentVolumeRules: KindRules = {
  returnsDeleted: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    draft.spec = { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...spec };
  },
  admitCreate(draft, context) {
    protect(draft, 'kubernetes.io/pv-protection');
    draft.status = { phase: 'Pending', lastPhaseTransitionTime: context.time };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  admitStatus(draft, old, context) {
    if (at(draft, 'status', 'phase') === at(old, 'status', 'phase')) return;
    draft.status = { ...objOf(draft.status), lastPhaseTransitionTime: context.time };
  },
  validate(volume) {
    const spec = objOf(volume.spec);
    const errors: FieldError[] = [];
    if (listOf(spec.accessModes).length === 0) errors.push(requiredValue('spec.accessModes'));
    if (spec.capacity === undefined) {
      errors.push(requiredValue('spec.capacity'), unsupportedValue('spec.capacity', {}, ['storage']));
    } else if (objOf(spec.capacity).storage === undefined) {
      errors.push(unsupportedValue('spec.capacity', spec.capacity, ['storage']));
    }
    const sources = Object.keys(sourceOf(volume));
    if (sources.length === 0) errors.push(requiredValue('spec', 'must specify a volume type'));
    for (const extra of sources.slice(1)) {
      errors.push(forbiddenValue(`spec.${extra}`, 'may not specify more than 1 volume type'));
    }
    return errors;
  },
  validateUpdate(volume, old) {
    if (sameJson(sourceOf(volume), sourceOf(old))) return [];
    const detail = 'spec.persistentvolumesource is immutable after creation';
    return [forbiddenValue('spec.persistentvolumesource', detail)];
  },
};

export const persistentVolumeClaimRules: KindRules = {
  returnsDeleted: true,
  defaults(draft) {
    draft.spec = { volumeMode: 'Filesystem', ...objOf(draft.spec) };
  },
  admitCreate(draft, context) {
    protect(draft, 'kubernetes.io/pvc-protection');
    draft.status = { phase: 'Pending' };
    const spec = objOf(draft.spec);
    if (spec.storageClassName !== undefined) return;
    const marked = context
      .list('storageclasses.storage.k8s.io')
      .find((c) => c.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true');
    if (marked) draft.spec = { ...spec, storageClassName: marked.metadata.name };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(claim) {
    const errors: FieldError[] = [];
    if (listOf(at(claim, 'spec', 'accessModes')).length === 0) {
      errors.push(requiredValue('spec.accessModes', 'at least 1 access mode is required'));
    }
    if (at(claim, 'spec', 'resources', 'requests', 'storage') === undefined) {
      errors.push(requiredValue('spec.resources[storage]'));
    }
    return errors;
  },
  /** A claim may be bound once and may grow. */
  validateUpdate(claim, old) {
    const fixed = (object: KubeObject) => {
      const { resources: _, volumeName: _n, volumeAttributesClassName: _v, ...rest } = objOf(object.spec);
      return rest;
    };
    const was = textOf(at(old, 'spec', 'volumeName'));
    const rebound = was !== '' && at(claim, 'spec', 'volumeName') !== was;
    if (!rebound && sameJson(fixed(claim), fixed(old))) return [];
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    return [forbiddenValue('spec', detail)];
  },
};

/** `SetDefaults_CSIDriver`. */
export const csiDriverRules: KindRules = {
  defaults(draft) {
    draft.spec = {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
      preventPodSchedulingIfMissing: false,
      volumeLifecycleModes: ['Persistent'],
      ...objOf(draft.spec),
    };
  },
};

export const storageClassRules: KindRules = {
  defaults(draft) {
    draft.reclaimPolicy ??= 'Delete';
    draft.volumeBindingMode ??= 'Immediate';
  },
  validate(storageClass) {
    const errors: FieldError[] = [];
    if (textOf(storageClass.provisioner) === '') errors.push(requiredValue('provisioner'));
    const modes = ['Immediate', 'WaitForFirstConsumer'];
    if (!modes.includes(textOf(storageClass.volumeBindingMode))) {
      errors.push(unsupportedValue('volumeBindingMode', storageClass.volumeBindingMode, modes));
    }
    return errors;
  },
  validateUpdate(storageClass, old) {
    return ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
      .filter((field) => !sameJson(storageClass[field] ?? null, old[field] ?? null))
      .map((field) => invalidValue(field, undefined, 'field is immutable'));
  },
};

export const volumeAttachmentRules: KindRules = {
  admitCreate(draft) {
    draft.status = { attached: false };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(attachment) {
    const spec = objOf(attachment.spec);
    const errors: FieldError[] = [];
    for (const field of ['attacher', 'nodeName']) {
      if (textOf(spec[field]) === '') errors.push(requiredValue(`spec.${field}`));
    }
    if (!isObj(spec.source) || Object.keys(spec.source).length === 0) {
      errors.push(
        requiredValue('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'),
      );
    }
    return errors;
  },
  validateUpdate: (attachment, old) =>
    sameJson(attachment.spec, old.spec) ? [] : [invalidValue('spec', undefined, 'field is immutable')],
};
