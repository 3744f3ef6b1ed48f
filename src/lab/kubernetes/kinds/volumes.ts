import { at, isObj, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { parseQuantity } from '../schema/quantity.js';
import { type FieldError, forbiddenValue, invalidValue } from '../status.js';
import { claimSpecErrors } from './checks/claims.js';
import { attachmentErrors, csiNodeErrors, driverErrors } from './checks/drivers.js';
import { persistentVolumeErrors, sourceOf, storageClassErrors } from './checks/storage.js';
import { claimWarnings, csiDriverWarnings, volumeWarnings } from './checks/warnings.js';
import { fixedField } from './names.js';
import type { KindRules } from './resource-type.js';

/** Admission StorageObjectInUseProtection. */
function protect(draft: KubeObject, finalizer: string): void {
  draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizer])];
}

export const persistentVolumeRules: KindRules = {
  returnsDeleted: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const path = isObj(spec.hostPath) ? { hostPath: { type: '', ...spec.hostPath } } : {};
    draft.spec = { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...spec, ...path };
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
  validate: persistentVolumeErrors,
  warnings: volumeWarnings,
  validateUpdate(volume, old) {
    const same = sameJson(sourceOf(volume), sourceOf(old));
    const detail = 'spec.persistentvolumesource is immutable after creation';
    return [
      ...(same ? [] : [forbiddenValue('spec.persistentvolumesource', detail)]),
      ...fixedField(at(volume, 'spec', 'volumeMode'), at(old, 'spec', 'volumeMode'), 'volumeMode'),
      ...placeErrors(at(volume, 'spec', 'nodeAffinity'), at(old, 'spec', 'nodeAffinity')),
    ];
  },
};

/** Where a volume is stays as it was; the fault shows it in Go's names. */
function placeErrors(is: unknown, was: unknown): FieldError[] {
  if (!isObj(was) || sameJson(is ?? null, was)) return [];
  const shown = (expressions: unknown) =>
    Array.isArray(expressions)
      ? expressions.map(objOf).map(({ key, operator, values }) => ({
          Key: key ?? '',
          Operator: operator ?? '',
          Values: values ?? null,
        }))
      : null;
  const terms = at(is, 'required', 'nodeSelectorTerms');
  const required = isObj(at(is, 'required')) && {
    NodeSelectorTerms: Array.isArray(terms)
      ? terms.map(objOf).map((term) => ({
          MatchExpressions: shown(term.matchExpressions),
          MatchFields: shown(term.matchFields),
        }))
      : null,
  };
  const value = isObj(is) ? { Required: required || null } : undefined;
  return [
    invalidValue('nodeAffinity', value, 'field is immutable, except for updating from beta label to GA'),
  ];
}

export const persistentVolumeClaimRules: KindRules = {
  returnsDeleted: true,
  defaults(draft) {
    draft.spec = { volumeMode: 'Filesystem', ...objOf(draft.spec) };
  },
  admitCreate(draft, context) {
    protect(draft, 'kubernetes.io/pvc-protection');
    draft.status = { phase: 'Pending' };
    const spec = withSources(objOf(draft.spec));
    draft.spec = spec;
    if (spec.storageClassName !== undefined) return;
    const marked = context
      .list('storageclasses.storage.k8s.io')
      .find((c) => c.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true');
    if (marked) draft.spec = { ...spec, storageClassName: marked.metadata.name };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate: (claim) => claimSpecErrors(objOf(claim.spec), 'spec'),
  validateUpdate: claimChangeErrors,
  warnings: (claim) => claimWarnings(objOf(claim.spec), 'spec'),
};

/** What a claim is filled from is said in two fields; in the older one only claims and snapshots. */
function withSources({ dataSource, ...spec }: Obj): Obj {
  const { apiGroup, kind } = objOf(dataSource);
  const known =
    (textOf(apiGroup) === '' && kind === 'PersistentVolumeClaim') ||
    (apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot');
  if (isObj(dataSource) && known) return { dataSourceRef: dataSource, ...spec, dataSource };
  const ref = spec.dataSourceRef;
  return isObj(ref) && ref.namespace === undefined ? { ...spec, dataSource: ref } : spec;
}

/** A claim may be given its volume and its class once; when it is bound, it may grow. */
function claimChangeErrors(claim: KubeObject, old: KubeObject): FieldError[] {
  const [is, was] = [objOf(claim.spec), objOf(old.spec)];
  const bound = at(claim, 'status', 'phase') === 'Bound';
  const free = [
    ...(textOf(was.volumeName) === '' ? ['volumeName'] : []),
    ...(was.storageClassName === undefined ? ['storageClassName'] : []),
    ...(bound ? ['resources', 'volumeAttributesClassName'] : []),
  ];
  const fixed = (spec: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => !free.includes(field)));
  const detail =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  const size = (spec: unknown) =>
    parseQuantity(String(at(spec, 'resources', 'requests', 'storage') ?? 0))?.nano ?? 0n;
  const had = parseQuantity(String(at(old, 'status', 'capacity', 'storage') ?? 0))?.nano ?? 0n;
  const field = 'spec.resources.requests.storage';
  const shrinks = size(is) < size(was) && size(is) <= had;
  return [
    ...(sameJson(fixed(is), fixed(was)) ? [] : [forbiddenValue('spec', detail)]),
    ...(shrinks ? [forbiddenValue(field, 'field can not be less than status.capacity')] : []),
    ...fixedField(is.volumeMode, was.volumeMode, 'volumeMode'),
  ];
}

/** `SetDefaults_CSIDriver`. */
export const csiNodeRules: KindRules = {
  conditionalUpdate: true,
  returnsDeleted: true,
  checksAll: true,
  validate: csiNodeErrors,
};

export const csiDriverRules: KindRules = {
  returnsDeleted: true,
  conditionalUpdate: true,
  checksAll: true,
  validate: driverErrors,
  validateUpdate(driver, old) {
    const [is, was] = [objOf(driver.spec), objOf(old.spec)];
    return [
      ...fixedField(is.attachRequired, was.attachRequired, 'spec.attachedRequired'),
      ...fixedField(is.volumeLifecycleModes, was.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
    ];
  },
  warnings: csiDriverWarnings,
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
  returnsDeleted: true,
  defaults(draft) {
    draft.reclaimPolicy ??= 'Delete';
    draft.volumeBindingMode ??= 'Immediate';
  },
  validate: storageClassErrors,
  validateUpdate: (storageClass, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((field) =>
      fixedField(storageClass[field], old[field], field, false),
    ),
};

export const volumeAttachmentRules: KindRules = {
  returnsDeleted: true,
  admitCreate(draft) {
    draft.status = { attached: false };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  conditionalUpdate: true,
  checksAll: true,
  validate: attachmentErrors,
  validateUpdate: (attachment, old) =>
    sameJson(attachment.spec, old.spec) ? [] : [invalidValue('spec', undefined, 'field is immutable')],
};
