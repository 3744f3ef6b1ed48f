import { listOf, type Obj, objOf, textOf } from '../json.js';
import { ApiError, qualified } from '../status.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { User } from './authenticate.js';
import type { RequestInfo, ResourcePath } from './request-info.js';

const RBAC = 'rbac.authorization.k8s.io';

/** What is asked for: a path, or a verb on a resource. */
export type Question =
  | { readonly path: string; readonly verb: string }
  | Pick<ResourcePath, 'verb' | 'group' | 'plural' | 'subresource' | 'name' | 'namespace'>;

/** RBAC over the roles and bindings that are in the store. Throws the 403 that kube-apiserver would answer. */
export function authorize(user: User, info: RequestInfo, objects: ObjectStore): void {
  const { resource } = info;
  const question = resource
    ? { ...inItself(resource), name: resource.name ?? nameAsked(resource, info.query) }
    : { path: info.path, verb: info.method.toLowerCase() };
  if (!decide(user, question, objects).allowed) throw denied(user, info);
}

/** May the user act as the other? Asked of what is to be done as well, and told of that (`impersonation` of v1.37). */
export function authorizeImpersonation(
  user: User,
  other: User,
  info: RequestInfo,
  objects: ObjectStore,
): void {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(other.name);
  const [plural, namespace, name] = account
    ? ['serviceaccounts', account[1], account[2] ?? '']
    : ['users', undefined, other.name];
  const question = { verb: 'impersonate', group: '', plural, subresource: '', name, namespace };
  if (decide(user, question, objects).allowed) return;
  const { resource } = info;
  const on = `impersonate-on:${account ? 'serviceaccount' : 'user-info'}:`;
  if (resource) throw denied(user, { ...info, resource: { ...resource, verb: `${on}${resource.verb}` } });
  throw denied(user, { ...info, method: `${on}${info.method.toLowerCase()}` });
}

interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export function decide(user: User, question: Question, objects: ObjectStore): Decision {
  if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
  const namespace = 'plural' in question ? question.namespace : undefined;
  const found = rulesOf(user, namespace, objects).find(({ rule }) =>
    'plural' in question ? allowsResource(rule, question) : allowsPath(rule, question),
  );
  return found ? { allowed: true, reason: `RBAC: allowed by ${found.by}` } : { allowed: false, reason: '' };
}

interface GrantedRule {
  readonly rule: Obj;
  /** The binding that grants it, in words. */
  readonly by: string;
}

/** The rules that hold for a user, cluster-wide and in a namespace. */
export function rulesOf(user: User, namespace: string | undefined, objects: ObjectStore): GrantedRule[] {
  const bindings = [
    ...objects.list(`clusterrolebindings.${RBAC}`),
    ...(namespace === undefined ? [] : objects.list(`rolebindings.${RBAC}`, namespace)),
  ];
  return bindings.flatMap((binding) => {
    const subject = listOf(binding.subjects)
      .map(objOf)
      .find((item) => isSubject(item, user));
    if (!subject) return [];
    const reference = objOf(binding.roleRef);
    const name = textOf(reference.name);
    const role =
      reference.kind === 'ClusterRole'
        ? objects.get(`clusterroles.${RBAC}`, name)
        : objects.get(`roles.${RBAC}`, `${binding.metadata.namespace}/${name}`);
    const place = binding.metadata.namespace === undefined ? '' : `/${binding.metadata.namespace}`;
    const home = subject.kind === 'ServiceAccount' ? `/${textOf(subject.namespace)}` : '';
    const by = `${place === '' ? 'ClusterRoleBinding' : 'RoleBinding'} "${binding.metadata.name}${place}" of ${textOf(reference.kind)} "${name}" to ${textOf(subject.kind)} "${textOf(subject.name)}${home}"`;
    return listOf(role?.rules).map((rule) => ({ rule: objOf(rule), by }));
  });
}

function isSubject(subject: Obj, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name;
    case 'Group':
      return user.groups.includes(textOf(subject.name));
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${textOf(subject.namespace)}:${textOf(subject.name)}`;
    default:
      return false;
  }
}

function includes(list: unknown, ...wanted: readonly string[]): boolean {
  const values = listOf(list);
  return values.includes('*') || wanted.some((item) => values.includes(item));
}

type Resource = Pick<ResourcePath, 'verb' | 'group' | 'plural' | 'subresource' | 'name'>;

function allowsResource(rule: Obj, path: Resource): boolean {
  const resource = resourceText(path);
  const anywhere = path.subresource === '' ? resource : `*/${path.subresource}`;
  const names = listOf(rule.resourceNames);
  return (
    includes(rule.verbs, path.verb) &&
    includes(rule.apiGroups, path.group) &&
    includes(rule.resources, resource, anywhere) &&
    (names.length === 0 || (path.name !== undefined && names.includes(path.name)))
  );
}

function allowsPath(rule: Obj, { path, verb }: { path: string; verb: string }): boolean {
  if (!includes(rule.verbs, verb)) return false;
  return listOf(rule.nonResourceURLs)
    .map(textOf)
    .some((url) => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : url === path));
}

/** A namespace is in itself: who has rights there has them on it. */
function inItself(path: ResourcePath): ResourcePath {
  const { group, plural, name } = path;
  return group === '' && plural === 'namespaces' && name !== undefined ? { ...path, namespace: name } : path;
}

/** A list of one name is a question about that name (`apiserver/pkg/endpoints/request`). */
function nameAsked({ verb }: ResourcePath, query: URLSearchParams): string | undefined {
  if (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection') return undefined;
  return /^metadata\.name==?([^,=]+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
}

function resourceText(path: Pick<ResourcePath, 'plural' | 'subresource'>): string {
  return path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
}

function denied(user: User, info: RequestInfo): ApiError {
  const path = info.resource && inItself(info.resource);
  if (!path) {
    const verb = info.method.toLowerCase();
    const message = `forbidden: User "${user.name}" cannot ${verb} path "${info.path}"`;
    return new ApiError(403, 'Forbidden', message, {});
  }
  const name = path.name ?? nameAsked(path, info.query);
  const subject = qualified(path.group, path.plural) + (name === undefined ? '' : ` "${name}"`);
  const scope =
    path.namespace === undefined ? 'at the cluster scope' : `in the namespace "${path.namespace}"`;
  const what = `cannot ${path.verb} resource "${resourceText(path)}" in API group "${path.group}" ${scope}`;
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: User "${user.name}" ${what}`, {
    ...(name === undefined ? {} : { name }),
    ...(path.group === '' ? {} : { group: path.group }),
    kind: path.plural,
  });
}
