import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { duplicateValue, type FieldError, invalidValue, requiredValue } from '../../status.js';
import { each, faultsAt, ifSaid, oneOf, requirementErrors, selectorErrors } from './fields.js';
import { dnsLabelFaults, labelKeyFaults, labelValueFaults } from './texts.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerationErrors(tolerations: unknown, field: string): FieldError[] {
  return each(tolerations, field, (item, place) => {
    const { operator, effect, tolerationSeconds } = item;
    const [key, value] = [textOf(item.key), textOf(item.value)];
    const errors = key === '' ? [] : faultsAt(`${place}.key`, key, labelKeyFaults(key));
    if (key === '' && operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${place}.operator`, operator ?? '', detail));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidValue(`${place}.effect`, effect ?? '', detail));
    }
    errors.push(...operatorErrors(textOf(operator), value, place));
    return textOf(effect) === '' ? errors : [...errors, ...ifSaid(effect, EFFECTS, `${place}.effect`)];
  });
}

function operatorErrors(operator: string, value: string, place: string): FieldError[] {
  const field = `${place}.operator`;
  switch (operator) {
    case '':
    case 'Equal': {
      const faults = labelValueFaults(value);
      return faults.length === 0 ? [] : [invalidValue(field, value, faults.join(';'))];
    }
    case 'Exists':
      return value === ''
        ? []
        : [invalidValue(field, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return ifSaid(operator, ['Equal', 'Exists', 'Lt', 'Gt'].slice(0, 4), field);
    default:
      return ifSaid(operator, ['Equal', 'Exists'], field);
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function affinityErrors(affinity: unknown, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = objOf(affinity);
  return [
    ...nodeAffinityErrors(objOf(nodeAffinity), `${field}.nodeAffinity`),
    ...podAffinityErrors(objOf(podAffinity), `${field}.podAffinity`),
    ...podAffinityErrors(objOf(podAntiAffinity), `${field}.podAntiAffinity`),
  ];
}

function nodeAffinityErrors(affinity: Obj, field: string): FieldError[] {
  const required = affinity[REQUIRED];
  return [
    ...(isObj(required) ? nodeSelectorErrors(required, `${field}.${REQUIRED}`) : []),
    ...each(affinity[PREFERRED], `${field}.${PREFERRED}`, (term, place) => [
      ...weightErrors(term.weight, place),
      ...nodeTermErrors(objOf(term.preference), `${place}.preference`, true),
    ]),
  ];
}

/** Also of persistent volumes. */
export function nodeSelectorErrors(selector: Obj, field: string): FieldError[] {
  const place = `${field}.nodeSelectorTerms`;
  if (listOf(selector.nodeSelectorTerms).length === 0) {
    return [requiredValue(place, 'must have at least one node selector term')];
  }
  return each(selector.nodeSelectorTerms, place, (term, at) => nodeTermErrors(term, at, false));
}

function nodeTermErrors(term: Obj, field: string, anyValue: boolean): FieldError[] {
  return [
    ...each(term.matchExpressions, `${field}.matchExpressions`, (item, place) =>
      requirementErrors(item, place, { numbers: true, anyValue }),
    ),
    ...each(term.matchFields, `${field}.matchFields`, fieldRequirementErrors),
  ];
}

function fieldRequirementErrors({ key, operator, values }: Obj, place: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(`${place}.operator`, operator ?? '', 'not a valid selector operator'));
  } else if (listOf(values).length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(requiredValue(`${place}.values`, detail));
  }
  return key === 'metadata.name'
    ? errors
    : [...errors, invalidValue(`${place}.key`, key ?? '', 'not a valid field selector key')];
}

function weightErrors(weight: unknown, place: string): FieldError[] {
  const number = Number(weight ?? 0);
  return number >= 1 && number <= 100
    ? []
    : [invalidValue(`${place}.weight`, number, 'must be in the range 1-100')];
}

function podAffinityErrors(affinity: Obj, field: string): FieldError[] {
  return [
    ...each(affinity[REQUIRED], `${field}.${REQUIRED}`, podTermErrors),
    ...each(affinity[PREFERRED], `${field}.${PREFERRED}`, (term, place) => [
      ...weightErrors(term.weight, place),
      ...podTermErrors(objOf(term.podAffinityTerm), `${place}.podAffinityTerm`),
    ]),
  ];
}

function podTermErrors(term: Obj, field: string): FieldError[] {
  const key = textOf(term.topologyKey);
  const place = `${field}.topologyKey`;
  return [
    ...selectorErrors(term.labelSelector, `${field}.labelSelector`),
    ...selectorErrors(term.namespaceSelector, `${field}.namespaceSelector`),
    ...listOf(term.namespaces).flatMap((name) =>
      faultsAt(`${field}.namespace`, name, dnsLabelFaults(textOf(name))),
    ),
    ...(key === '' ? [requiredValue(place, 'can not be empty')] : []),
    ...faultsAt(place, key, labelKeyFaults(key)),
  ];
}

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

export function spreadErrors(constraints: unknown, field: string): FieldError[] {
  const all = listOf(constraints).map(objOf);
  return all.flatMap((item, index) => {
    const place = `${field}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = item;
    const errors: FieldError[] = [];
    const positive = (value: unknown, name: string) => {
      if (Number(value ?? 0) > 0) return;
      errors.push(invalidValue(`${place}.${name}`, value ?? 0, 'must be greater than zero'));
    };
    positive(maxSkew, 'maxSkew');
    if (textOf(topologyKey) === '') errors.push(requiredValue(`${place}.topologyKey`, 'can not be empty'));
    errors.push(...ifSaid(whenUnsatisfiable ?? '', ACTIONS, `${place}.whenUnsatisfiable`));
    const repeated = all
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (repeated) {
      const shown = `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`;
      errors.push(duplicateValue(`${place}.{topologyKey, whenUnsatisfiable}`, shown));
    }
    if (minDomains !== undefined) {
      positive(minDomains, 'minDomains');
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${textOf(whenUnsatisfiable)}`;
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        errors.push(invalidValue(`${place}.minDomains`, minDomains, detail));
      }
    }
    errors.push(...ifSaid(item.nodeAffinityPolicy, POLICIES, `${place}.nodeAffinityPolicy`));
    errors.push(...ifSaid(item.nodeTaintsPolicy, POLICIES, `${place}.nodeTaintsPolicy`));
    return [...errors, ...selectorErrors(item.labelSelector, `${place}.labelSelector`)];
  });
}

/** `validateNodeTaints`; the field is called metadata.taints in the answers. */
export function taintErrors(taints: unknown): FieldError[] {
  const seen = new Set<string>();
  return each(taints, 'metadata.taints', ({ key, effect, value, timeAdded }, place) => {
    const [name, text] = [textOf(key), textOf(value)];
    const errors = faultsAt(`${place}.key`, name, labelKeyFaults(name));
    const faults = labelValueFaults(text);
    if (faults.length > 0) errors.push(invalidValue(`${place}.value`, text, faults.join(';')));
    errors.push(...oneOf(effect, EFFECTS, `${place}.effect`));
    const id = `${name}:${textOf(effect)}`;
    if (seen.has(id)) {
      const shown = { Key: key, Value: value ?? '', Effect: effect, TimeAdded: timeAdded ?? null };
      errors.push(duplicateValue(place, shown, 'taints must be unique by key and effect pair'));
    }
    seen.add(id);
    return errors;
  });
}
