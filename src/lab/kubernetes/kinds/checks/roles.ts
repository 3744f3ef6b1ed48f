import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../../status.js';
import { each, faultsAt, selectorErrors } from './fields.js';
import { pathSegmentFaults, subdomainFaults } from './texts.js';

const GROUP = 'rbac.authorization.k8s.io';

function ofNamespace(object: KubeObject): boolean {
  return object.metadata.namespace !== undefined;
}

/** `ValidatePolicyRule` of each rule, and what a role gathers. */
export function roleErrors(role: KubeObject): FieldError[] {
  const gathers = role.aggregationRule;
  const selectors = listOf(objOf(gathers).clusterRoleSelectors);
  const place = 'aggregationRule.clusterRoleSelectors';
  const none = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  const rules = each(role.rules, 'rules', (rule, at) => ruleErrors(rule, at, ofNamespace(role)));
  return [
    ...rules,
    ...(isObj(gathers) && selectors.length === 0 ? [requiredValue(place, none)] : []),
    ...each(selectors, place, (selector, at) => {
      const errors = selectorErrors(selector, at);
      const detail = 'invalid label selector.';
      return errors.length === 0 ? [] : [...errors, invalidValue(at, undefined, detail)];
    }),
    ...each(role.rules, 'rules', ({ verbs }, at) =>
      listOf(verbs).length === 0 ? [requiredValue(`${at}.verbs`)] : [],
    ),
  ];
}

function ruleErrors(rule: Obj, field: string, namespaced: boolean): FieldError[] {
  const urls = listOf(rule.nonResourceURLs);
  const place = `${field}.nonResourceURLs`;
  if (urls.length === 0) {
    const none = (name: string, what: string) =>
      listOf(rule[name]).length === 0
        ? [requiredValue(`${field}.${name}`, `resource rules must supply at least one ${what}`)]
        : [];
    return [...none('apiGroups', 'api group'), ...none('resources', 'resource')];
  }
  const both = ['apiGroups', 'resources', 'resourceNames'].some((name) => listOf(rule[name]).length > 0);
  const mixed = 'rules cannot apply to both regular resources and non-resource URLs';
  const here = 'namespaced rules cannot apply to non-resource URLs';
  return [
    ...(namespaced ? [invalidValue(place, urls, here)] : []),
    ...(both ? [invalidValue(place, urls, mixed)] : []),
  ];
}

export function roleBindingErrors(binding: KubeObject): FieldError[] {
  const { apiGroup, kind, name } = objOf(binding.roleRef);
  const kinds = ofNamespace(binding) ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === GROUP ? [] : [unsupportedValue('roleRef.apiGroup', apiGroup ?? '', [GROUP])]),
    ...(kinds.includes(textOf(kind)) ? [] : [unsupportedValue('roleRef.kind', kind ?? '', kinds)]),
    ...faultsAt('roleRef.name', name, pathSegmentFaults(textOf(name))),
    ...each(binding.subjects, 'subjects', (subject, place) =>
      subjectErrors(subject, place, ofNamespace(binding)),
    ),
  ];
}

function subjectErrors(subject: Obj, field: string, namespaced: boolean): FieldError[] {
  const group = textOf(subject.apiGroup);
  const name = textOf(subject.name);
  if (subject.kind === 'User' || subject.kind === 'Group') {
    return group === GROUP ? [] : [unsupportedValue(`${field}.apiGroup`, group, [GROUP])];
  }
  if (subject.kind !== 'ServiceAccount') {
    const kinds = ['ServiceAccount', 'User', 'Group'];
    return [unsupportedValue(`${field}.kind`, subject.kind ?? '', kinds)];
  }
  const homeless = !namespaced && textOf(subject.namespace) === '';
  return [
    ...(name === '' ? [] : faultsAt(`${field}.name`, name, subdomainFaults(name))),
    ...(group === '' ? [] : [unsupportedValue(`${field}.apiGroup`, group, [''])]),
    ...(homeless ? [requiredValue(`${field}.namespace`)] : []),
  ];
}
