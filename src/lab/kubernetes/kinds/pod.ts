import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { quantityValue } from '../schema/quantity.js';
import {
  ApiError,
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../status.js';
import { containerErrors, probeErrors, volumeErrors } from './container-checks.js';
import { defaultPodSpec } from './pod-spec.js';
import type { KindRules, RuleContext } from './resource-type.js';

const TOKEN_MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export const podRules: KindRules = {
  generation: true,
  returnsDeleted: true,
  defaults(draft) {
    draft.spec = { enableServiceLinks: true, ...defaultPodSpec(objOf(draft.spec)) };
  },
  admitCreate(draft, context) {
    let spec = objOf(draft.spec);
    spec = withServiceAccount(draft, spec, context);
    spec = { ...spec, tolerations: withNodeTolerations(listOf(spec.tolerations)) };
    const priority = priorityOf(textOf(spec.priorityClassName), context);
    draft.spec = { preemptionPolicy: 'PreemptLowerPriority', ...spec, priority };
    draft.status = { phase: 'Pending', qosClass: qosClass(spec) };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate: (pod) => podSpecErrors(objOf(pod.spec), 'spec'),
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

const RESTARTS = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** `more`: volumes that come from elsewhere, as a stateful set's claims do. */
export function podSpecErrors(spec: Obj, field: string, more: readonly string[] = []): FieldError[] {
  const errors: FieldError[] = volumeErrors(listOf(spec.volumes), `${field}.volumes`);
  const own = listOf(spec.volumes).map((volume) => textOf(objOf(volume).name));
  const volumes = new Set([...own, ...more]);
  if (listOf(spec.containers).length === 0) errors.push(requiredValue(`${field}.containers`));
  const names = new Set<string>();
  for (const group of ['containers', 'initContainers']) {
    listOf(spec[group]).forEach((item, index) => {
      const container = objOf(item);
      const place = `${field}.${group}[${index}]`;
      errors.push(...containerErrors(container, place, volumes));
      const name = textOf(container.name);
      if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
      else if (name !== '') names.add(name);
      if (group === 'containers' || container.restartPolicy === 'Always') {
        errors.push(...probeErrors(container, place));
      }
    });
  }
  if (!RESTARTS.includes(textOf(spec.restartPolicy))) {
    errors.push(unsupportedValue(`${field}.restartPolicy`, spec.restartPolicy, RESTARTS));
  }
  if (!DNS_POLICIES.includes(textOf(spec.dnsPolicy))) {
    errors.push(unsupportedValue(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES));
  }
  return [...errors, ...tolerationErrors(listOf(spec.tolerations), `${field}.tolerations`)];
}

function tolerationErrors(tolerations: readonly unknown[], field: string): FieldError[] {
  return tolerations.flatMap((item, index) => {
    const { key, operator, value, effect, tolerationSeconds } = objOf(item);
    const place = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (textOf(key) === '' && operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${place}.operator`, operator ?? '', detail));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidValue(`${place}.effect`, effect ?? '', detail));
    }
    if (operator === 'Exists' && textOf(value) !== '') {
      const detail = "value must be empty when `operator` is 'Exists'";
      errors.push(invalidValue(`${place}.operator`, value, detail));
    } else if (operator !== undefined && !['Exists', 'Equal'].includes(textOf(operator))) {
      errors.push(unsupportedValue(`${place}.operator`, operator, ['Equal', 'Exists']));
    }
    const known = [undefined, '', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'];
    if (!known.some((item) => item === effect)) {
      const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
      errors.push(unsupportedValue(`${place}.effect`, effect, effects));
    }
    return errors;
  });
}

/** Admission ServiceAccount: the account must exist, and its token is mounted unless someone said no. */
function withServiceAccount(pod: KubeObject, spec: Obj, context: RuleContext): Obj {
  const name = textOf(spec.serviceAccountName) || 'default';
  const { namespace } = pod.metadata;
  // A mirror pod of a static pod has neither account nor token.
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return spec;
  const account = context.find('serviceaccounts', namespace, name);
  if (!account) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    const message = `pods "${pod.metadata.name}" is forbidden: ${why}`;
    throw new ApiError(403, 'Forbidden', message, { name: pod.metadata.name, kind: 'pods' });
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

const SYSTEM_PRIORITIES: Record<string, number> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function priorityOf(className: string, context: RuleContext): number {
  const known = SYSTEM_PRIORITIES[className];
  if (known !== undefined) return known;
  const value = context.find('priorityclasses.scheduling.k8s.io', undefined, className)?.value;
  return typeof value === 'number' ? value : 0;
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
  const [is, was] = [fixedPart(objOf(pod.spec)), fixedPart(objOf(old.spec))];
  const node = textOf(objOf(old.spec).nodeName);
  if (node !== '' && objOf(pod.spec).nodeName !== node) {
    return [invalidValue('spec.nodeName', objOf(pod.spec).nodeName, 'field is immutable')];
  }
  if (sameJson(is, was)) return [];
  const detail =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [forbiddenValue('spec', detail)];
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
