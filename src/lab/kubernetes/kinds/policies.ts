import { rulesEngine } from '../cel/engine.js';
import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import type { KindRules } from './resource-type.js';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];

function withMatchDefaults(given: unknown): unknown {
  if (!isObj(given)) return given;
  const rules = (list: unknown) => listOf(list).map((rule) => ({ scope: '*', ...objOf(rule) }));
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...given,
    ...(Array.isArray(given.resourceRules) ? { resourceRules: rules(given.resourceRules) } : {}),
    ...(Array.isArray(given.excludeResourceRules)
      ? { excludeResourceRules: rules(given.excludeResourceRules) }
      : {}),
  };
}

/** ValidatingAdmissionPolicy. */
export const policyRules: KindRules = {
  conditionalUpdate: true,
  generation: true,
  expressions: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const matching = withMatchDefaults(spec.matchConstraints);
    draft.spec = {
      failurePolicy: 'Fail',
      ...spec,
      ...(matching === undefined ? {} : { matchConstraints: matching }),
    };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(policy) {
    const spec = objOf(policy.spec);
    const errors: FieldError[] = [];
    if (!FAILURE_POLICIES.includes(textOf(spec.failurePolicy))) {
      errors.push(unsupportedValue('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES));
    }
    if (!isObj(spec.matchConstraints)) errors.push(requiredValue('spec.matchConstraints'));
    else {
      errors.push(...matchErrors(spec.matchConstraints, 'spec.matchConstraints'));
      if (listOf(spec.matchConstraints.resourceRules).length === 0) {
        errors.push(requiredValue('spec.matchConstraints.resourceRules'));
      }
    }
    const expressions = rulesEngine()?.policyErrors(spec) ?? [];
    if (listOf(spec.validations).length > 0 || listOf(spec.auditAnnotations).length > 0) {
      return [...errors, ...expressions];
    }
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [
      ...errors,
      ...expressions,
      requiredValue('spec.validations', detail),
      requiredValue('spec.auditAnnotations', detail),
    ];
  },
};

function matchErrors(resources: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!MATCH_POLICIES.includes(textOf(resources.matchPolicy))) {
    errors.push(unsupportedValue(`${path}.matchPolicy`, resources.matchPolicy, MATCH_POLICIES));
  }
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    listOf(resources[list])
      .map(objOf)
      .forEach((rule, index) => {
        for (const field of ['operations', 'apiGroups', 'apiVersions', 'resources']) {
          if (listOf(rule[field]).length === 0)
            errors.push(requiredValue(`${path}.${list}[${index}].${field}`));
        }
      });
  }
  return errors;
}

/** ValidatingAdmissionPolicyBinding. */
export const policyBindingRules: KindRules = {
  conditionalUpdate: true,
  generation: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const matching = withMatchDefaults(spec.matchResources);
    draft.spec = { ...spec, ...(matching === undefined ? {} : { matchResources: matching }) };
  },
  validate(binding) {
    const spec = objOf(binding.spec);
    const errors: FieldError[] = [];
    if (textOf(spec.policyName) === '') errors.push(requiredValue('spec.policyName'));
    if (isObj(spec.matchResources)) errors.push(...matchErrors(spec.matchResources, 'spec.matchResources'));
    const actions = listOf(spec.validationActions);
    if (actions.length === 0) errors.push(requiredValue('spec.validationActions'));
    actions.forEach((action, index) => {
      if (!ACTIONS.includes(textOf(action))) {
        errors.push(unsupportedValue(`spec.validationActions[${index}]`, action, ACTIONS));
      }
    });
    if (actions.includes('Deny') && actions.includes('Warn')) {
      const detail =
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
      errors.push(invalidValue('spec.validationActions', actions, detail));
    }
    return errors;
  },
};
