import { ownValue } from '../../../formats/text/mapping.js';
import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { quantityValue } from '../schema/quantity.js';
import { ApiError, type FieldError, forbiddenValue, invalid, invalidValue } from '../status.js';
import { each } from './checks/fields.js';
import { podSpecErrors } from './checks/pod-spec.js';
import { podOwnWarnings } from './checks/warnings.js';
import { defaultPodSpec } from './pod-spec.js';
import type { KindRules, RuleContext } from './resource-type.js';

const TOKEN_MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export const podRules: KindRules = {
  warnings: podOwnWarnings,
  generation: true,
  returnsDeleted: true,
  checksAll: true,
  defaults(draft) {
    draft.spec = { enableServiceLinks: true, ...defaultPodSpec(objOf(draft.spec), true) };
    const status = objOf(draft.status);
    const address = textOf(status.podIP);
    // One address in two fields: the older one says which.
    if (address !== '' && textOf(objOf(listOf(status.podIPs)[0]).ip) !== address)
      draft.status = { ...status, podIPs: [{ ip: address }] };
  },
  admitCreate(draft, context) {
    let spec = objOf(draft.spec);
    spec = withServiceAccount(draft, spec, context);
    checkRuntime(draft, spec, context);
    spec = { ...spec, tolerations: withNodeTolerations(listOf(spec.tolerations)) };
    draft.spec = oneSecondAtLeast(withPriority(draft, spec, context));
    draft.status = { phase: 'Pending', qosClass: qosClass(spec) };
  },
  admitUpdate(draft, old, context) {
    // A node is given by a binding; the lab's own scheduler writes it here.
    const given =
      context.user && textOf(objOf(old.spec).nodeName) === '' && textOf(objOf(draft.spec).nodeName) !== '';
    if (given) throw invalid('', 'Pod', old.metadata.name, [forbiddenValue('spec', FIXED)]);
    const spec = oneSecondAtLeast(objOf(draft.spec));
    draft.spec = { ...spec, tolerations: withNodeTolerations(listOf(spec.tolerations)) };
    draft.status = old.status;
  },
  /** Being given a node is no change of the pod. */
  versioned(pod) {
    const { nodeName: _, ...spec } = objOf(pod.spec);
    return spec;
  },
  validate: (pod) => [
    ...podSpecErrors(objOf(pod.spec), 'spec', { pod: true }),
    ...tokenErrors(objOf(pod.spec)),
    ...onlyPodErrors(objOf(pod.spec)),
  ],
  validateUpdate: immutableSpec,
  fieldLabels: (pod) => ({
    'spec.nodeName': textOf(at(pod, 'spec', 'nodeName')),
    'spec.restartPolicy': textOf(at(pod, 'spec', 'restartPolicy')),
    'spec.schedulerName': textOf(at(pod, 'spec', 'schedulerName')),
    'spec.serviceAccountName': textOf(at(pod, 'spec', 'serviceAccountName')),
    'spec.hostNetwork': String(at(pod, 'spec', 'hostNetwork') === true),
    'status.phase': textOf(at(pod, 'status', 'phase')),
    'status.podIP': textOf(at(pod, 'status', 'podIP')),
    'status.nominatedNodeName': textOf(at(pod, 'status', 'nominatedNodeName')),
  }),
  /** A pod without a node, or one that is over, has nothing to wind down. */
  gracePeriod(pod, asked) {
    const phase = at(pod, 'status', 'phase');
    if (!at(pod, 'spec', 'nodeName') || phase === 'Succeeded' || phase === 'Failed') return 0;
    const own = at(pod, 'spec', 'terminationGracePeriodSeconds');
    return asked ?? (typeof own === 'number' ? own : 30);
  },
};

/** Admission ServiceAccount: the account must exist, and its token is mounted unless someone said no. */
function withServiceAccount(pod: KubeObject, spec: Obj, context: RuleContext): Obj {
  const name = textOf(spec.serviceAccountName) || 'default';
  const { namespace } = pod.metadata;
  // A mirror pod of a static pod has neither account nor token.
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return spec;
  const account = context.find('serviceaccounts', namespace, name);
  if (!account) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw refused(pod, why);
  }
  const named = { ...spec, serviceAccountName: name, serviceAccount: name };
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  return automount === false ? named : withToken(named, `kube-api-access-${context.suffix()}`);
}

function withToken(spec: Obj, volume: string): Obj {
  const mounted = (container: unknown): unknown => {
    const mounts = listOf(objOf(container).volumeMounts);
    if (mounts.some((mount) => objOf(mount).mountPath === TOKEN_MOUNT)) return container;
    return {
      ...objOf(container),
      volumeMounts: [...mounts, { name: volume, readOnly: true, mountPath: TOKEN_MOUNT }],
    };
  };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return {
    ...spec,
    volumes: [...listOf(spec.volumes), { name: volume, projected: { sources, defaultMode: 0o644 } }],
    containers: listOf(spec.containers).map(mounted),
    ...(Array.isArray(spec.initContainers) ? { initContainers: spec.initContainers.map(mounted) } : {}),
  };
}

/** Admission DefaultTolerationSeconds: five minutes on a node that is not ready or out of reach. */
function withNodeTolerations(tolerations: unknown[]): unknown[] {
  const missing = ['not-ready', 'unreachable']
    .map((condition) => `node.kubernetes.io/${condition}`)
    .filter((key) => !tolerations.some((item) => tolerates(objOf(item), key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return [...tolerations, ...missing];
}

function tolerates(toleration: Obj, key: string): boolean {
  const sameKey =
    toleration.key === key || (toleration.key === undefined && toleration.operator === 'Exists');
  return sameKey && (toleration.effect === undefined || toleration.effect === 'NoExecute');
}

/** A grace period below zero is one second. */
function oneSecondAtLeast(spec: Obj): Obj {
  return Number(spec.terminationGracePeriodSeconds ?? 0) < 0
    ? { ...spec, terminationGracePeriodSeconds: 1 }
    : spec;
}

/** The rules for a pod itself that a template does not have. */
/** A token is an account's: without one there is none to mount. */
function tokenErrors(spec: Obj): FieldError[] {
  if (textOf(spec.serviceAccountName) !== '') return [];
  const detail = 'must not be specified when serviceAccountName is not set';
  return each(spec.volumes, 'spec.volumes', ({ projected }, place) =>
    each(objOf(projected).sources, `${place}.projected.sources`, ({ serviceAccountToken: token }, at) =>
      isObj(token) ? [forbiddenValue(`${at}.serviceAccountToken`, detail)] : [],
    ),
  );
}

function onlyPodErrors(spec: Obj): FieldError[] {
  const detail = 'must not have leading or trailing whitespace';
  return ['containers', 'initContainers'].flatMap((group) =>
    each(spec[group], `spec.${group}`, ({ image }, place) =>
      textOf(image).trim() === textOf(image) ? [] : [invalidValue(`${place}.image`, image, detail)],
    ),
  );
}

const SYSTEM_PRIORITIES: Record<string, number> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function refused(pod: KubeObject, why: string): ApiError {
  const { name } = pod.metadata;
  return new ApiError(403, 'Forbidden', `pods "${name}" is forbidden: ${why}`, { name, kind: 'pods' });
}

/** Admission RuntimeClass. */
function checkRuntime(pod: KubeObject, spec: Obj, context: RuleContext): void {
  const name = textOf(spec.runtimeClassName);
  if (name === '' || context.find('runtimeclasses.node.k8s.io', undefined, name)) return;
  throw refused(pod, `pod rejected: RuntimeClass "${name}" not found`);
}

/** Admission Priority: the number is that of the pod's class, or of the class for all. */
function withPriority(pod: KubeObject, spec: Obj, context: RuleContext): Obj {
  const classes = context.list('priorityclasses.scheduling.k8s.io');
  const asked = textOf(spec.priorityClassName);
  const found = asked === '' ? classes.find((item) => item.globalDefault === true) : undefined;
  const of = found ?? classes.find((item) => item.metadata.name === asked);
  const known = of ? Number(of.value ?? 0) : ownValue(SYSTEM_PRIORITIES, asked);
  if (asked !== '' && known === undefined) {
    throw refused(pod, `no PriorityClass with name ${asked} was found`);
  }
  const priority = known ?? 0;
  const computed = 'priority admission controller computed';
  if (spec.priority !== undefined && spec.priority !== priority) {
    const why = `the integer value of priority (${String(spec.priority)}) must not be provided in pod spec; ${computed} ${priority} from the given PriorityClass name`;
    throw refused(pod, why);
  }
  const policy = textOf(of?.preemptionPolicy) || 'PreemptLowerPriority';
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const why = `the string value of PreemptionPolicy (${textOf(spec.preemptionPolicy)}) must not be provided in pod spec; ${computed} ${policy} from the given PriorityClass name`;
    throw refused(pod, why);
  }
  const named = found ? { priorityClassName: found.metadata.name } : {};
  return { ...spec, ...named, priority, preemptionPolicy: policy };
}

/** `pkg/apis/core/v1/helper/qos`. */
function qosClass(spec: Obj): string {
  const containers = [...listOf(spec.containers), ...listOf(spec.initContainers)].map(objOf);
  const resources = containers.map((container) => objOf(container.resources));
  const given = (list: unknown) => ['cpu', 'memory'].some((name) => positive(objOf(list)[name]));
  if (!resources.some(({ requests, limits }) => given(requests) || given(limits))) return 'BestEffort';
  const guaranteed = resources.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = objOf(limits)[name];
      return positive(limit) && sameJson(limit, objOf(requests)[name] ?? limit);
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function positive(quantity: unknown): boolean {
  return typeof quantity === 'string' && quantityValue(quantity) > 0;
}

/** Of a pod's spec only images, deadlines, tolerations and the node (once) may change. */
function immutableSpec(pod: KubeObject, old: KubeObject): FieldError[] {
  const [is, was] = [objOf(pod.spec), objOf(old.spec)];
  for (const group of ['containers', 'initContainers']) {
    if (listOf(is[group]).length === listOf(was[group]).length) continue;
    return [forbiddenValue(`spec.${group}`, 'pod updates may not add or remove containers')];
  }
  const errors = [...deadlineErrors(is, was), ...tolerationChangeErrors(is, was)];
  const moved = textOf(was.nodeName) !== '' && is.nodeName !== was.nodeName;
  if (!moved && sameJson(fixedPart(is), fixedPart(was))) return errors;
  return [...errors, forbiddenValue('spec', FIXED)];
}

const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function deadlineErrors(is: Obj, was: Obj): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [now, before] = [is.activeDeadlineSeconds, was.activeDeadlineSeconds];
  if (typeof before !== 'number') return [];
  if (now === undefined) {
    return [invalidValue(field, undefined, 'must not update from a positive integer to nil value')];
  }
  return Number(now) > before
    ? [invalidValue(field, now, 'must be less than or equal to previous value')]
    : [];
}

function tolerationChangeErrors(is: Obj, was: Obj): FieldError[] {
  const now = listOf(is.tolerations);
  const lost = listOf(was.tolerations).some((old) => !now.some((item) => sameJson(item, old)));
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return lost ? [forbiddenValue('spec.tolerations', detail)] : [];
}

function fixedPart(spec: Obj): Obj {
  const imageless = (containers: unknown) =>
    Array.isArray(containers)
      ? containers.map((item) => (isObj(item) ? { ...item, image: '' } : item))
      : containers;
  const { activeDeadlineSeconds: _d, tolerations: _t, nodeName: _n, schedulingGates: _g, ...rest } = spec;
  return {
    ...rest,
    containers: imageless(spec.containers),
    initContainers: imageless(spec.initContainers),
  };
}
