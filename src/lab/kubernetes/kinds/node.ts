import { at, isObj, listOf, objOf, textOf } from '../json.js';
import { duplicateValue, type FieldError, invalidValue, unsupportedValue } from '../status.js';
import type { KindRules } from './resource-type.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeRules: KindRules = {
  statusOnCreate: true,
  /** What can be used is all there is, where a kubelet says nothing else. */
  defaults(draft) {
    const status = objOf(draft.status);
    if (status.allocatable === undefined && isObj(status.capacity)) {
      draft.status = { ...status, allocatable: status.capacity };
    }
  },
  /** Admission TaintNodesByCondition: a new node takes no pods until the controller has seen it ready. */
  admitCreate(draft) {
    const spec = objOf(draft.spec);
    const taints = listOf(spec.taints);
    const tainted = taints.some((taint) => isObj(taint) && taint.key === NOT_READY_TAINT.key);
    draft.spec = tainted ? spec : { ...spec, taints: [...taints, { ...NOT_READY_TAINT }] };
  },
  validate: (node) => taintErrors(listOf(at(node, 'spec', 'taints'))),
  validateUpdate(node, old) {
    const [is, was] = [at(node, 'spec', 'providerID'), at(old, 'spec', 'providerID')];
    if (was === undefined || is === was) return [];
    return [invalidValue('spec.providerID', undefined, 'field cannot be modified once set')];
  },
  fieldLabels: (node) => ({ 'spec.unschedulable': String(at(node, 'spec', 'unschedulable') === true) }),
};

/** The field is called metadata.taints in the answers, as recorded (golden: nodes-patch). */
function taintErrors(taints: readonly unknown[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  taints.forEach((taint, index) => {
    const { key, effect, value, timeAdded } = objOf(taint);
    const field = `metadata.taints[${index}]`;
    if (!EFFECTS.includes(textOf(effect))) errors.push(unsupportedValue(`${field}.effect`, effect, EFFECTS));
    const id = `${textOf(key)}:${textOf(effect)}`;
    if (seen.has(id)) {
      const shown = { Key: key, Value: value ?? '', Effect: effect, TimeAdded: timeAdded ?? null };
      errors.push(duplicateValue(field, shown, 'taints must be unique by key and effect pair'));
    }
    seen.add(id);
  });
  return errors;
}
