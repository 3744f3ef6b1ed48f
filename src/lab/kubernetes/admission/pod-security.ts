import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { ResourceType, RuleContext } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { type FieldError, forbidden, invalidValue } from '../status.js';
import { NEWEST_RULES, violations } from './pod-security-checks.js';

const LEVELS = ['privileged', 'baseline', 'restricted'];
const PREFIX = 'pod-security.kubernetes.io/';

interface Level {
  readonly level: string;
  readonly version: string;
}

interface Policy {
  readonly enforce: Level;
  readonly warn: Level;
}

const levelText = ({ level, version }: Level) => `${level}:${version}`;

/** What a namespace's labels ask for, and what is wrong with them. */
function policyOf(labels: Readonly<Record<string, string>>): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: string, otherwise: string) => {
    const given = labels[`${PREFIX}${mode}`];
    const version = labels[`${PREFIX}${mode}-version`];
    const known = given === undefined || LEVELS.includes(given);
    const fits = version === undefined || version === 'latest' || /^v1\.(\d|[1-9]\d*)$/.test(version);
    if (!known) errors.push(labelError(mode, given, `must be one of ${LEVELS.join(', ')}`));
    if (!fits) errors.push(labelError(`${mode}-version`, version, 'must be "latest" or "v1.x"'));
    return {
      given: known ? given : undefined,
      level: known ? (given ?? 'privileged') : otherwise,
      version: fits ? (version ?? 'latest') : 'latest',
      dated: version !== undefined,
    };
  };
  const enforce = read('enforce', 'restricted');
  read('audit', 'privileged');
  const warn = read('warn', 'privileged');
  // A level that is enforced is warned of as well, where workloads are written.
  const follows =
    labels[`${PREFIX}warn`] === undefined && enforce.given !== undefined && enforce.level !== 'privileged';
  return {
    policy: {
      enforce,
      warn: follows ? { level: enforce.level, version: warn.dated ? warn.version : enforce.version } : warn,
    },
    errors,
  };
}

function labelError(label: string, value: unknown, detail: string): FieldError {
  return invalidValue(`metadata.labels[${PREFIX}${label}]`, value, detail);
}

/** Labels that no level or version is known for; those that were there before stay. */
export function securityLabelErrors(namespace: KubeObject, old?: KubeObject): FieldError[] {
  const { errors } = policyOf(namespace.metadata.labels ?? {});
  const before = old ? policyOf(old.metadata.labels ?? {}).errors : [];
  return sameJson(errors, before) ? [] : errors;
}

function found(metadata: Obj, spec: Obj, { level, version }: Level) {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? NEWEST_RULES : Number(version.slice(3));
  return violations(metadata, spec, level === 'restricted', Math.min(minor, NEWEST_RULES));
}

const detailText = (list: ReturnType<typeof found>) =>
  list.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

/** Admission PodSecurity: refuses pods, warns of workloads and of namespaces whose pods no longer fit. */
export function podSecurity(
  type: ResourceType,
  object: KubeObject,
  old: KubeObject | undefined,
  context: RuleContext,
): void {
  if (type.kind === 'Namespace' && type.group === '') {
    if (old) warnOfPods(object, old, context);
    return;
  }
  const { namespace } = object.metadata;
  const template = templateOf(type, object);
  if (!template || namespace === undefined) return;
  const { policy } = policyOf(context.find('namespaces', undefined, namespace)?.metadata.labels ?? {});
  const isPod = type.kind === 'Pod';
  if (isPod && old && !isSignificant(object, old)) return;
  const { metadata, spec } = template;
  if (isPod) {
    const refused = found(metadata, spec, policy.enforce);
    if (refused.length > 0) {
      const level = levelText(policy.enforce);
      throw forbidden(type, object.metadata.name, `violates PodSecurity "${level}": ${detailText(refused)}`);
    }
  }
  const warned = found(metadata, spec, policy.warn);
  if (warned.length > 0) {
    context.warn(`would violate PodSecurity "${levelText(policy.warn)}": ${detailText(warned)}`);
  }
}

function templateOf(type: ResourceType, object: KubeObject): { metadata: Obj; spec: Obj } | undefined {
  const template =
    type.kind === 'Pod'
      ? object
      : type.kind === 'CronJob'
        ? at(object, 'spec', 'jobTemplate', 'spec', 'template')
        : type.kind === 'PodTemplate'
          ? object.template
          : ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job', 'ReplicationController'].includes(
                type.kind,
              )
            ? at(object, 'spec', 'template')
            : undefined;
  return isObj(template) ? { metadata: objOf(template.metadata), spec: objOf(template.spec) } : undefined;
}

/** An update counts only where it brings other images or containers. */
function isSignificant(pod: KubeObject, old: KubeObject): boolean {
  const images = (of: KubeObject, list: string) =>
    listOf(at(of, 'spec', list)).map((container) => textOf(objOf(container).image));
  return ['containers', 'initContainers', 'ephemeralContainers'].some(
    (list) => !sameJson(images(pod, list), images(old, list)),
  );
}

function warnOfPods(namespace: KubeObject, old: KubeObject, context: RuleContext): void {
  const { enforce } = policyOf(namespace.metadata.labels ?? {}).policy;
  const { enforce: before } = policyOf(old.metadata.labels ?? {}).policy;
  const relaxed = LEVELS.indexOf(enforce.level) <= LEVELS.indexOf(before.level);
  if (enforce.level === 'privileged' || (enforce.version === before.version && relaxed)) return;
  const byReason = new Map<string, string[]>();
  for (const pod of context.list('pods', namespace.metadata.name)) {
    const reasons = found(objOf(pod.metadata), objOf(pod.spec), enforce).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const text = reasons.join(', ');
    byReason.set(text, [...(byReason.get(text) ?? []), pod.metadata.name].sort());
  }
  if (byReason.size === 0) return;
  const { name } = namespace.metadata;
  context.warn(
    `existing pods in namespace "${name}" violate the new PodSecurity enforce level "${levelText(enforce)}"`,
  );
  const lines = [...byReason].map(([reason, [first = '', ...others]]) => {
    const more =
      others.length === 0 ? '' : ` (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
    return `${first}${more}: ${reason}`;
  });
  for (const line of lines.sort()) context.warn(line);
}
