import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { type FieldError, forbiddenValue, invalidValue } from '../status.js';
import { faultsAt } from './checks/fields.js';
import { taintErrors } from './checks/scheduling.js';
import { cidrFaults } from './checks/texts.js';
import type { KindRules } from './resource-type.js';

const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** The ranges of a node's pods: one of each family. */
function podRangeErrors(spec: Obj): FieldError[] {
  const ranges = listOf(spec.podCIDRs).map(textOf);
  const field = 'spec.podCIDRs';
  const errors = ranges.flatMap((range, index) => faultsAt(`${field}[${index}]`, range, cidrFaults(range)));
  const families = new Set(ranges.map((range) => range.includes(':')));
  const detail = 'may specify no more than one CIDR for each IP family';
  return ranges.length > families.size ? [...errors, invalidValue(field, ranges, detail)] : errors;
}

function rangeChangeErrors(is: readonly unknown[], was: readonly unknown[]): FieldError[] {
  if (was.length === 0 || sameJson(is, was)) return [];
  const detail = 'node updates may not change podCIDR except from "" to valid';
  return [forbiddenValue('spec.podCIDRs', detail)];
}

export const nodeRules: KindRules = {
  checksAll: true,
  statusOnCreate: true,
  /** What can be used is all there is, where a kubelet says nothing else. */
  defaults(draft) {
    const spec = objOf(draft.spec);
    const range = textOf(spec.podCIDR);
    // One range in two fields: the older one says which.
    if (range !== '' && textOf(listOf(spec.podCIDRs)[0]) !== range)
      draft.spec = { ...spec, podCIDRs: [range] };
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
  validate: (node) => [...taintErrors(at(node, 'spec', 'taints')), ...podRangeErrors(objOf(node.spec))],
  validateUpdate(node, old) {
    const [is, was] = [at(node, 'spec', 'providerID'), at(old, 'spec', 'providerID')];
    const done = is === undefined ? 'cleared' : 'modified';
    const moved = was !== undefined && is !== was;
    return [
      ...rangeChangeErrors(listOf(at(node, 'spec', 'podCIDRs')), listOf(at(old, 'spec', 'podCIDRs'))),
      ...(sameJson(at(node, 'spec', 'externalID') ?? '', at(old, 'spec', 'externalID') ?? '')
        ? []
        : [forbiddenValue('spec.externalID', 'may not be updated')]),
      ...(moved ? [invalidValue('spec.providerID', undefined, `field cannot be ${done} once set`)] : []),
    ];
  },
  fieldLabels: (node) => ({ 'spec.unschedulable': String(at(node, 'spec', 'unschedulable') === true) }),
};
