import type { KubeApi } from './api/kube-api.js';
import { internalWrite } from './api/options.js';
import type { Obj } from './json.js';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const USUAL = [
  { apiGroups: ['', 'apps', 'batch', 'policy', 'networking.k8s.io', 'discovery.k8s.io'], resources: ['*'] },
];

/** Roles of `pkg/../bootstrappolicy`, as far as the lab's users meet them. */
const CLUSTER_ROLES: Record<string, readonly Obj[]> = {
  'cluster-admin': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
  admin: USUAL.map((rule) => ({ ...rule, verbs: [...READ, ...WRITE] })),
  edit: USUAL.map((rule) => ({ ...rule, verbs: [...READ, ...WRITE] })),
  view: USUAL.map((rule) => ({ ...rule, verbs: READ })),
  'system:basic-user': [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ],
  'system:discovery': [
    {
      nonResourceURLs: [
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/healthz',
        '/livez',
        '/openapi',
        '/openapi/*',
        '/readyz',
        '/version',
        '/version/',
      ],
      verbs: ['get'],
    },
  ],
  'system:public-info-viewer': [
    { nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] },
  ],
};

const CLUSTER_ROLE_BINDINGS: Record<string, readonly string[]> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
};

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** What an API server puts into an empty etcd. Changes before this are never asked for again. */
export function bootstrapObjects(api: KubeApi): void {
  if (api.find('namespaces', undefined, 'default')) return;
  const options = internalWrite('kube-apiserver');
  for (const name of NAMESPACES) {
    api.create(api.type('namespaces'), undefined, { metadata: { name } }, options);
  }
  for (const [name, rules] of Object.entries(CLUSTER_ROLES)) {
    api.create(api.type(`clusterroles.${RBAC}`), undefined, { metadata: { name }, rules }, options);
  }
  for (const [name, groups] of Object.entries(CLUSTER_ROLE_BINDINGS)) {
    const body = {
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: groups.map((group) => ({ apiGroup: RBAC, kind: 'Group', name: group })),
    };
    api.create(api.type(`clusterrolebindings.${RBAC}`), undefined, body, options);
  }
  const service = {
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  };
  api.create(api.type('services'), 'default', service, options);
  api.objects.compact();
}
