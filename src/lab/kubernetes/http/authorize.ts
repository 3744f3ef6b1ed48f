import { listOf, type Obj, objOf, textOf } from '../json.js';
import { ApiError, qualified } from '../status.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { User } from './authenticate.js';
import type { RequestInfo, ResourcePath } from './request-info.js';

const RBAC = 'rbac.authorization.k8s.io';

/** RBAC over the roles and bindings that are in the store. Throws the 403 that kube-apiserver would answer. */
export function authorize(user: User, info: RequestInfo, objects: ObjectStore): void {
  if (user.groups.includes('system:masters')) return;
  const rules = rulesOf(user, info.resource?.namespace, objects);
  const { resource } = info;
  const allowed = resource
    ? rules.some((rule) => allowsResource(rule, resource))
    : rules.some((rule) => allowsPath(rule, info));
  if (!allowed) throw denied(user, info);
}

function rulesOf(user: User, namespace: string | undefined, objects: ObjectStore): Obj[] {
  const bindings = [
    ...objects.list(`clusterrolebindings.${RBAC}`),
    ...(namespace === undefined ? [] : objects.list(`rolebindings.${RBAC}`, namespace)),
  ].filter((binding) => listOf(binding.subjects).some((subject) => isSubject(objOf(subject), user)));
  return bindings.flatMap((binding) => {
    const reference = objOf(binding.roleRef);
    const name = textOf(reference.name);
    const role =
      reference.kind === 'ClusterRole'
        ? objects.get(`clusterroles.${RBAC}`, name)
        : objects.get(`roles.${RBAC}`, `${binding.metadata.namespace}/${name}`);
    return listOf(role?.rules).map(objOf);
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

function allowsResource(rule: Obj, path: ResourcePath): boolean {
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

function allowsPath(rule: Obj, info: RequestInfo): boolean {
  if (!includes(rule.verbs, info.method.toLowerCase())) return false;
  return listOf(rule.nonResourceURLs)
    .map(textOf)
    .some((url) => (url.endsWith('*') ? info.path.startsWith(url.slice(0, -1)) : url === info.path));
}

function resourceText(path: ResourcePath): string {
  return path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
}

function denied(user: User, info: RequestInfo): ApiError {
  const { resource: path } = info;
  if (!path) {
    const verb = info.method.toLowerCase();
    const message = `forbidden: User "${user.name}" cannot ${verb} path "${info.path}"`;
    return new ApiError(403, 'Forbidden', message, {});
  }
  const name = path.verb === 'create' ? undefined : path.name;
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
