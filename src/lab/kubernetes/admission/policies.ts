import { rulesEngine } from '../cel/engine.js';
import { at, listOf, type Obj, objOf, stringsOf, textOf } from '../json.js';
import type { ResourceType, RuleContext } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { selectorMatches } from '../selectors/object-selector.js';
import { qualified } from '../status.js';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
export const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;

/** One write that policies may judge. */
export interface Attempt {
  readonly type: ResourceType;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subresource: string;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
}

/** Admission ValidatingAdmissionPolicy for what clients write: throws the refusal, or warns. */
export function admissionPolicies(attempt: Attempt, context: RuleContext): void {
  const { type } = attempt;
  const subject = attempt.object ?? attempt.old;
  const engine = rulesEngine();
  if (!engine || !context.user || !subject) return;
  // Policies do not judge policies: a wrong one could not be taken away.
  if (type.group === GROUP && type.kind.startsWith('Validating')) return;
  const bindings = context.list(BINDINGS);
  if (bindings.length === 0) return;
  const { namespace: space = '', name } = subject.metadata;
  const namespace = space === '' ? undefined : context.find('namespaces', undefined, space);
  const admitted = {
    object: attempt.object,
    oldObject: attempt.old,
    request: requestOf(attempt, subject, context),
    namespace,
  };
  for (const binding of bindings) {
    const policyName = textOf(at(binding, 'spec', 'policyName'));
    const policy = context.find(POLICIES, undefined, policyName);
    const spec = objOf(policy?.spec);
    if (!policy || spec.paramKind !== undefined) continue;
    if (!matches(objOf(spec.matchConstraints), attempt, subject, namespace)) continue;
    const narrowed = at(binding, 'spec', 'matchResources');
    if (narrowed !== undefined && !matches(objOf(narrowed), attempt, subject, namespace)) continue;
    const by = `ValidatingAdmissionPolicy '${policyName}' with binding '${binding.metadata.name}'`;
    const actions = listOf(at(binding, 'spec', 'validationActions'));
    const decisions = engine.policyDecisions(spec, admitted);
    if (actions.includes('Warn')) {
      for (const { message } of decisions) context.warn(`Validation failed for ${by}: ${message}`);
    }
    const [first] = actions.includes('Deny') ? decisions : [];
    if (!first) continue;
    const group = type.group === '' ? {} : { group: type.group };
    throw engine.denial(
      `${qualified(type.group, type.plural)} "${name}"`,
      { name, ...group, kind: type.plural },
      `${by} denied request: ${first.message}`,
      first.reason,
    );
  }
}

function requestOf(
  { type, operation, subresource, dryRun }: Attempt,
  subject: KubeObject,
  { user }: RuleContext,
): Obj {
  const { group, version, kind, plural } = type;
  const { name, namespace } = subject.metadata;
  return {
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    requestKind: { group, version, kind },
    requestResource: { group, version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    operation,
    userInfo: {
      username: user?.name ?? '',
      groups: user?.groups ?? [],
      ...(user?.uid ? { uid: user.uid } : {}),
    },
    dryRun,
  };
}

/** `MatchResources`: the rules, what they leave out, and the labels of the object and its namespace. */
function matches(
  resources: Obj,
  attempt: Attempt,
  subject: KubeObject,
  namespace: KubeObject | undefined,
): boolean {
  const { type } = attempt;
  const rules = listOf(resources.resourceRules).map(objOf);
  if (rules.length > 0 && !rules.some((rule) => ruleMatches(rule, attempt, subject))) return false;
  if (listOf(resources.excludeResourceRules).some((rule) => ruleMatches(objOf(rule), attempt, subject)))
    return false;
  const labelled = [attempt.object, attempt.old].filter((object) => object !== undefined);
  const selects = (selector: unknown, object: KubeObject) =>
    selectorMatches(objOf(selector), stringsOf(object.metadata.labels));
  if (!labelled.some((object) => selects(resources.objectSelector, object))) return false;
  const space = type.kind === 'Namespace' && type.group === '' ? subject : namespace;
  return space === undefined || selects(resources.namespaceSelector, space);
}

function ruleMatches(rule: Obj, { type, operation, subresource }: Attempt, subject: KubeObject): boolean {
  const among = (list: unknown, value: string) => listOf(list).some((item) => item === '*' || item === value);
  const names = listOf(rule.resourceNames);
  const resource = (given: unknown) => {
    const [plural = '', sub = ''] = textOf(given).split('/');
    return (plural === '*' || plural === type.plural) && (sub === '*' || sub === subresource);
  };
  const scope = textOf(rule.scope) || '*';
  return (
    among(rule.apiGroups, type.group) &&
    among(rule.apiVersions, type.version) &&
    among(rule.operations, operation) &&
    listOf(rule.resources).some(resource) &&
    (scope === '*' || (scope === 'Namespaced') === type.namespaced) &&
    (names.length === 0 || names.includes(subject.metadata.name))
  );
}
