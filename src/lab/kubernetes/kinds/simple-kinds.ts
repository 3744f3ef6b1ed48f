import { at, objOf, sameJson, textOf } from '../json.js';
import { type FieldError, forbiddenValue, invalidValue } from '../status.js';
import type { KindRules } from './resource-type.js';

export const plainRules: KindRules = {};

export const budgetRules: KindRules = {
  generation: true,
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(budget) {
    const spec = objOf(budget.spec);
    if (spec.minAvailable === undefined || spec.maxUnavailable === undefined) return [];
    const detail = 'minAvailable and maxUnavailable cannot be both set';
    return [invalidValue('spec', spec, detail)];
  },
};

export const serviceRules: KindRules = {
  name: 'service',
  returnsDeleted: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const ports = Array.isArray(spec.ports)
      ? {
          ports: spec.ports.map((port) => {
            const given = objOf(port);
            return { protocol: 'TCP', ...given, targetPort: given.targetPort ?? given.port };
          }),
        }
      : {};
    draft.spec = {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ...spec,
      ...ports,
    };
  },
  admitCreate(draft, context) {
    const spec = objOf(draft.spec);
    const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
    const address =
      textOf(spec.clusterIP) ||
      freeAddress(context.list('services').map((s) => textOf(at(s, 'spec', 'clusterIP'))));
    draft.spec = { ...families, ...spec, clusterIP: address, clusterIPs: [address] };
    draft.status = { loadBalancer: {} };
  },
  admitUpdate(draft, old) {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = objOf(old.spec);
    draft.spec = { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...objOf(draft.spec) };
    draft.status = old.status;
  },
  fieldLabels: (service) => ({
    'spec.clusterIP': textOf(at(service, 'spec', 'clusterIP')),
    'spec.type': textOf(at(service, 'spec', 'type')),
  }),
};

/** From 10.96.0.0/12, the default service range. */
function freeAddress(taken: readonly string[]): string {
  for (let number = 20; ; number += 1) {
    const address = `10.96.${Math.floor(number / 256)}.${number % 256}`;
    if (!taken.includes(address)) return address;
  }
}

/** Roles and bindings are named freely (`system:node`); a binding's role is for life. */
export const roleRules: KindRules = { name: 'path-segment' };

export const roleBindingRules: KindRules = {
  name: 'path-segment',
  defaults(draft) {
    draft.roleRef = { apiGroup: 'rbac.authorization.k8s.io', ...objOf(draft.roleRef) };
    if (!Array.isArray(draft.subjects)) return;
    draft.subjects = draft.subjects.map((subject) => {
      const given = objOf(subject);
      return given.kind === 'ServiceAccount' ? given : { apiGroup: 'rbac.authorization.k8s.io', ...given };
    });
  },
  validateUpdate: (binding, old) =>
    sameJson(binding.roleRef, old.roleRef)
      ? []
      : [invalidValue('roleRef', binding.roleRef, 'cannot change roleRef')],
};

export const leaseRules: KindRules = {
  conditionalUpdate: true,
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
export const specStatusRules: KindRules = {
  generation: true,
  admitUpdate(draft, old) {
    if (old.status !== undefined) draft.status = old.status;
  },
};
