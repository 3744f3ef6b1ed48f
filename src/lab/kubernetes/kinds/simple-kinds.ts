import { ownValue } from '../../../formats/text/mapping.js';
import { isObj, numberOf, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from '../status.js';
import { faultsAt, ifSaid, labelsErrors, selectorErrors } from './checks/fields.js';
import {
  endpointSliceErrors,
  ingressClassErrors,
  ingressErrors,
  networkPolicyErrors,
} from './checks/networking.js';
import { roleBindingErrors, roleErrors } from './checks/roles.js';
import { tolerationErrors } from './checks/scheduling.js';
import { dnsLabelFaults } from './checks/texts.js';
import { ingressWarnings } from './checks/warnings.js';
import { atMostAll, countOrShareErrors } from './checks/workloads.js';
import { fixedField } from './names.js';
import type { KindRules } from './resource-type.js';
import { containerResourceErrors } from './resources.js';

export const plainRules: KindRules = {};

export const budgetRules: KindRules = {
  validateStatus: ({ status }) =>
    ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'].flatMap((name) => {
      const value = numberOf(objOf(status)[name]);
      return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
    }),
  generation: true,
  conditionalUpdate: true,
  name: 'path-segment',
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(budget) {
    const spec = objOf(budget.spec);
    const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
    const shown = {
      MinAvailable: minAvailable ?? null,
      Selector: spec.selector ?? null,
      MaxUnavailable: maxUnavailable ?? null,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    const both = minAvailable !== undefined && maxUnavailable !== undefined;
    const detail = 'minAvailable and maxUnavailable cannot be both set';
    return [
      ...(both ? [invalidValue('spec', shown, detail)] : []),
      ...['minAvailable', 'maxUnavailable'].flatMap((name) => [
        ...countOrShareErrors(spec[name], `spec.${name}`),
        ...atMostAll(spec[name], `spec.${name}`),
      ]),
      ...selectorErrors(spec.selector, 'spec.selector'),
      ...ifSaid(policy, ['AlwaysAllow', 'IfHealthyBudget'], 'spec.unhealthyPodEvictionPolicy'),
    ];
  },
};

/** Roles and bindings are named freely (`system:node`); a binding's role is for life. */
export const roleRules: KindRules = { name: 'path-segment', createOnUpdate: true, validate: roleErrors };

export const roleBindingRules: KindRules = {
  createOnUpdate: true,
  name: 'path-segment',
  defaults(draft) {
    const ref = objOf(draft.roleRef);
    draft.roleRef = { ...ref, apiGroup: textOf(ref.apiGroup) || 'rbac.authorization.k8s.io' };
    if (!Array.isArray(draft.subjects)) return;
    draft.subjects = draft.subjects.map((subject) => {
      const given = objOf(subject);
      const group = textOf(given.apiGroup) || 'rbac.authorization.k8s.io';
      return given.kind === 'User' || given.kind === 'Group' ? { ...given, apiGroup: group } : given;
    });
  },
  validate: roleBindingErrors,
  validateUpdate(binding, old) {
    const { apiGroup, kind, name } = objOf(binding.roleRef);
    const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
    return sameJson(binding.roleRef, old.roleRef)
      ? []
      : [invalidValue('roleRef', shown, 'field is immutable')];
  },
};

export const leaseRules: KindRules = {
  createOnUpdate: true,
  conditionalUpdate: true,
  /** Coordinated elections are a feature that is off: what belongs to them is dropped. */
  admitCreate(draft) {
    const { strategy: _, preferredHolder: _p, ...spec } = objOf(draft.spec);
    draft.spec = spec;
  },
  validate(lease) {
    const {
      leaseDurationSeconds: lasts,
      leaseTransitions: turns,
      strategy,
      preferredHolder,
    } = objOf(lease.spec);
    const errors: FieldError[] = [];
    if (typeof lasts === 'number' && lasts <= 0) {
      errors.push(invalidValue('spec.leaseDurationSeconds', lasts, 'must be greater than 0'));
    }
    if (typeof turns === 'number' && turns < 0) {
      errors.push(invalidValue('spec.leaseTransitions', turns, 'must be greater than or equal to 0'));
    }
    if (textOf(preferredHolder) !== '' && textOf(strategy) === '') {
      errors.push(forbiddenValue('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
    }
    return errors;
  },
};

/** Kinds whose spec is versioned and whose status is written apart. */
const specStatusRules: KindRules = {
  generation: true,
  admitUpdate(draft, old) {
    if (old.status !== undefined) draft.status = old.status;
  },
};

export const ingressRules: KindRules = {
  ...specStatusRules,
  validate: ingressErrors,
  warnings: ingressWarnings,
};
export const ingressClassRules: KindRules = {
  generation: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    if (isObj(spec.parameters))
      draft.spec = { ...spec, parameters: { scope: 'Cluster', ...spec.parameters } };
  },
  changesFirst: true,
  validate: ingressClassErrors,
  validateUpdate: (ingressClass, old) =>
    fixedField(
      objOf(ingressClass.spec).controller ?? '',
      objOf(old.spec).controller ?? '',
      'spec.controller',
    ),
};

export const endpointSliceRules: KindRules = {
  generation: true,
  defaults(draft) {
    if (!Array.isArray(draft.ports)) return;
    draft.ports = draft.ports.map((port) => ({ name: '', protocol: 'TCP', ...objOf(port) }));
  },
  validate: endpointSliceErrors,
  validateUpdate: (slice, old) => fixedField(slice.addressType, old.addressType, 'addressType'),
};

export const networkPolicyRules: KindRules = {
  generation: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const withProtocol = (rules: unknown) =>
      Array.isArray(rules)
        ? rules.map((item) => {
            const rule = objOf(item);
            if (!Array.isArray(rule.ports)) return item;
            return { ...rule, ports: rule.ports.map((port) => ({ protocol: 'TCP', ...objOf(port) })) };
          })
        : rules;
    const out = Array.isArray(spec.egress) && spec.egress.length > 0;
    draft.spec = {
      policyTypes: ['Ingress', ...(out ? ['Egress'] : [])],
      ...spec,
      ...(spec.ingress === undefined ? {} : { ingress: withProtocol(spec.ingress) }),
      ...(spec.egress === undefined ? {} : { egress: withProtocol(spec.egress) }),
    };
  },
  validate: networkPolicyErrors,
};

export const runtimeClassRules: KindRules = {
  conditionalUpdate: true,
  validate({ handler, overhead, scheduling }) {
    const name = textOf(handler);
    const { nodeSelector, tolerations } = objOf(scheduling);
    return [
      ...(name === '' ? [requiredValue('handler')] : faultsAt('handler', name, dnsLabelFaults(name))),
      ...containerResourceErrors({ limits: objOf(overhead).podFixed }, 'overhead'),
      ...labelsErrors(nodeSelector, 'scheduling.nodeSelector'),
      ...tolerationErrors(tolerations, 'scheduling.tolerations'),
    ];
  },
  validateUpdate: (runtime, old) => fixedField(runtime.handler, old.handler, 'handler'),
};

const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};
const HIGHEST = 1_000_000_000;

function systemFault({ metadata: { name }, value, globalDefault }: KubeObject): string | undefined {
  const known = ownValue(SYSTEM_CLASSES, name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const priorityClassRules: KindRules = {
  generation: true,
  /** It is 1 for ever. */
  versioned: () => ({}),
  defaults(draft) {
    draft.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate(priority) {
    const { name } = priority.metadata;
    const system = name.startsWith('system-');
    const fault = system ? systemFault(priority) : undefined;
    const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";
    const high = !system && Number(priority.value ?? 0) > HIGHEST;
    const most = `maximum allowed value of a user defined priority is ${HIGHEST}`;
    return [
      ...(fault ? [forbiddenValue('metadata.name', `${reserved} ${fault}`)] : []),
      ...(high ? [forbiddenValue('value', most)] : []),
      ...ifSaid(priority.preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy'),
    ];
  },
  validateUpdate: (priority, old) => [
    ...(priority.value === old.value ? [] : [forbiddenValue('value', 'may not be changed in an update.')]),
    ...fixedField(priority.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'),
  ],
};
