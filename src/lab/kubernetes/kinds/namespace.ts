import { securityLabelErrors } from '../admission/pod-security.js';
import { listOf, objOf, textOf } from '../json.js';
import { ApiError, invalidValue } from '../status.js';
import { finalizerNameErrors } from './names.js';
import type { KindRules } from './resource-type.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';
/** Admission NamespaceLifecycle. */
const UNDELETABLE = ['default', 'kube-system', 'kube-public'];

export const namespaceRules: KindRules = {
  name: 'label',
  returnsDeleted: true,
  defaults(draft) {
    draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name };
  },
  admitCreate(draft) {
    const finalizers = listOf(objOf(draft.spec).finalizers);
    const kept = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
    draft.spec = { ...objOf(draft.spec), finalizers: kept };
    draft.status = { phase: 'Active' };
  },
  /** Finalizers of the spec change through /finalize only. */
  admitUpdate(draft, old) {
    draft.spec = { ...objOf(draft.spec), finalizers: objOf(old.spec).finalizers };
    draft.status = old.status;
  },
  admitDelete(namespace) {
    const { name } = namespace.metadata;
    if (!UNDELETABLE.includes(name)) return;
    throw new ApiError(
      403,
      'Forbidden',
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      {
        name,
        kind: 'namespaces',
      },
    );
  },
  validate: (namespace, old) => [
    ...listOf(objOf(namespace.spec).finalizers).flatMap((finalizer) =>
      finalizerNameErrors(textOf(finalizer), 'spec.finalizers'),
    ),
    ...securityLabelErrors(namespace, old),
  ],
  validateStatus(namespace) {
    const phase = objOf(namespace.status).phase;
    const ending = namespace.metadata.deletionTimestamp !== undefined;
    if (phase === (ending ? 'Terminating' : 'Active')) return [];
    const detail = ending
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalidValue('status.Phase', phase, detail)];
  },
  fieldLabels: (namespace) => ({ 'status.phase': String(objOf(namespace.status).phase ?? 'Active') }),
};
