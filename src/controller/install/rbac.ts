/** Who may do what: the controller no more than it needs, people by what they are for. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { GROUP, MANAGED_BY } from '../api/group.js';

export const ACCOUNT = 'oxherd-controller';
const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

function rule(
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  names?: readonly string[],
): Rule {
  return { apiGroups: [group], resources, verbs, ...(names && { resourceNames: names }) };
}

/** A role and its binding to the controller's service account. */
function granted(
  kind: 'Role' | 'ClusterRole',
  name: string,
  place: { readonly namespace?: string; readonly account: string },
  rules: readonly Rule[],
): KubernetesObject[] {
  const metadata = {
    name,
    labels: MANAGED_BY,
    ...(place.namespace !== undefined && { namespace: place.namespace }),
  };
  return [
    { apiVersion: `${RBAC}/v1`, kind, metadata, ...{ rules } },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      ...{
        roleRef: { apiGroup: RBAC, kind, name },
        subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: place.account }],
      },
    },
  ];
}

/** What is the same however many namespaces have clusters. */
export function ownAccess(namespace: string): KubernetesObject[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace, labels: MANAGED_BY } },
    ...granted('ClusterRole', ACCOUNT, { account: namespace }, [
      rule(GROUP, ['proxmoxsites', 'hostmaintenances'], READ),
      rule(GROUP, ['hostmaintenances'], ['patch']),
      rule(GROUP, ['proxmoxsites/status', 'hostmaintenances/status'], ['patch']),
      // The page: whose token it is, and whether that user may see the cluster.
      rule('authentication.k8s.io', ['tokenreviews'], ['create']),
      rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
      // Its uid names the fleet in the locks of Proxmox.
      rule('', ['namespaces'], ['get'], [namespace]),
    ]),
    ...granted('Role', ACCOUNT, { namespace, account: namespace }, [
      rule('', ['secrets'], ['get']),
      rule('coordination.k8s.io', ['leases'], ['get', 'list', 'create', 'patch', 'delete']),
      // Of maintenance.
      rule(GROUP, ['oxherdapprovals'], ['list', 'watch']),
      rule(GROUP, ['oxherdapprovals/status'], ['patch']),
    ]),
  ];
}

/** In each namespace with clusters. */
export function namespaceAccess(namespace: string, account: string): KubernetesObject[] {
  return granted('Role', `${ACCOUNT}-clusters`, { namespace, account }, [
    rule(GROUP, ['oxherdclusters'], [...READ, 'patch']),
    rule(GROUP, ['oxherdapprovals'], ['list', 'watch']),
    rule(GROUP, ['oxherdplans'], ['get', 'list', 'create', 'delete']),
    rule(GROUP, ['oxherdclusters/status', 'oxherdplans/status', 'oxherdapprovals/status'], ['patch']),
    rule('', ['configmaps'], READ),
    // Created once, for a new cluster without secrets of its own.
    rule('', ['secrets'], ['get', 'create']),
    rule('coordination.k8s.io', ['leases'], ['get', 'create', 'patch']),
    rule('', ['events'], ['create']),
  ]);
}

/** For people, to be bound by whoever runs the cluster: reading, editing and approving are apart. */
export function peopleRoles(): KubernetesObject[] {
  const all = ['oxherdclusters', 'oxherdplans', 'oxherdapprovals', 'proxmoxsites', 'hostmaintenances'];
  const write = ['create', 'update', 'patch', 'delete'];
  const role = (name: string, rules: readonly Rule[], aggregate?: string): KubernetesObject => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: {
      name,
      labels: {
        ...MANAGED_BY,
        ...(aggregate !== undefined && { [`${RBAC}/aggregate-to-${aggregate}`]: 'true' }),
      },
    },
    ...{ rules },
  });
  return [
    role('oxherd-viewer', [rule(GROUP, all, READ)], 'view'),
    role('oxherd-editor', [rule(GROUP, ['oxherdclusters'], [...READ, ...write])]),
    role('oxherd-approver', [
      rule(GROUP, ['oxherdclusters', 'oxherdplans'], READ),
      rule(GROUP, ['oxherdapprovals'], [...READ, 'create', 'delete']),
    ]),
    role('oxherd-site-admin', [rule(GROUP, ['proxmoxsites', 'hostmaintenances'], [...READ, ...write])]),
  ];
}
