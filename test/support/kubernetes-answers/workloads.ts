import { configMap, core, type Exchange, merge, meta, NS, post, remove } from './requests.js';

const apps = '/apis/apps/v1/namespaces/default';
const template = (labels: object) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'x' }] },
});
const workload = (kind: string, name: string, spec: object) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: meta(name),
  spec: { selector: { matchLabels: { a: 'b' } }, template: template({ a: 'b' }), ...spec },
});
const WORKLOADS: readonly Exchange[] = [
  post(`${apps}/deployments`, workload('Deployment', 'none', { selector: {} })),
  post(`${apps}/deployments`, workload('Deployment', 'other', { template: template({ a: 'c' }) })),
  post(`${apps}/deployments`, workload('Deployment', 'negative', { replicas: -1 })),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'roll', { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'roll', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'roll', { strategy: { rollingUpdate: { maxSurge: '30' } } }),
  ),
  post(`${apps}/deployments`, workload('Deployment', 'roll', { minReadySeconds: 700 })),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'pods', {
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] },
      },
    }),
  ),
  post(`${apps}/statefulsets`, workload('StatefulSet', 'service', { serviceName: 'Bad_Name' })),
  post(`${apps}/statefulsets`, workload('StatefulSet', 'policy', { podManagementPolicy: 'Odd' })),
  post(`${apps}/statefulsets`, workload('StatefulSet', 'good', { serviceName: 'good', replicas: 0 })),
  merge(`${apps}/statefulsets/good`, { spec: { serviceName: 'better' } }),
  merge(`${apps}/statefulsets/good`, { spec: { podManagementPolicy: 'Parallel' } }),
  post(`${apps}/daemonsets`, workload('DaemonSet', 'update', { updateStrategy: { type: 'Odd' } })),
  post('/apis/batch/v1/namespaces/default/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('always'),
    spec: { template: template({}) },
  }),
  post('/apis/batch/v1/namespaces/default/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('negative'),
    spec: {
      parallelism: -1,
      backoffLimit: -1,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
    },
  }),
  post('/apis/batch/v1/namespaces/default/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: meta('when'),
    spec: {
      schedule: 'at noon',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } } },
      },
    },
  }),
  post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('both'),
    spec: { minAvailable: 1, maxUnavailable: 1, selector: {} },
  }),
  post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('share'),
    spec: { minAvailable: '120%', selector: {} },
  }),
  post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('share'),
    spec: { minAvailable: -1, selector: {} },
  }),
];

const service = (name: string, spec: object) => core('Service', name, { spec });
const SERVICES: readonly Exchange[] = [
  post(`${NS}/services`, service('none', {})),
  post(`${NS}/services`, service('2bad', { ports: [{ port: 80 }] })),
  post(`${NS}/services`, service('port', { ports: [{ port: 0 }] })),
  post(`${NS}/services`, service('ports', { ports: [{ port: 80 }, { port: 81 }] })),
  post(
    `${NS}/services`,
    service('twice', {
      ports: [
        { name: 'a', port: 80 },
        { name: 'a', port: 81 },
      ],
    }),
  ),
  post(
    `${NS}/services`,
    service('same', {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    }),
  ),
  post(`${NS}/services`, service('type', { type: 'Odd', ports: [{ port: 80 }] })),
  post(`${NS}/services`, service('name', { type: 'ExternalName' })),
  post(`${NS}/services`, service('affinity', { sessionAffinity: 'Odd', ports: [{ port: 80 }] })),
  post(`${NS}/services`, service('node-port', { type: 'NodePort', ports: [{ port: 80, nodePort: 1 }] })),
  post(`${NS}/services`, service('external', { externalIPs: ['x'], ports: [{ port: 80 }] })),
];

const NODES_AND_SPACES: readonly Exchange[] = [
  post('/api/v1/nodes', core('Node', 'extra', { status: { capacity: { cpu: '4', memory: '8Gi' } } })),
  post('/api/v1/nodes', core('Node', 'taint', { spec: { taints: [{ key: 'a', effect: 'Never' }] } })),
  post(
    '/api/v1/nodes',
    core('Node', 'taint', {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule' },
        ],
      },
    }),
  ),
  post('/api/v1/nodes', core('Node', 'spaced', { metadata: meta('spaced', { namespace: 'default' }) })),
  merge('/api/v1/nodes/extra', { spec: { podCIDR: 'x' } }),
  merge('/api/v1/nodes/extra', { spec: { unschedulable: 'yes' } }),
  remove('/api/v1/nodes/extra'),
  post('/api/v1/namespaces', core('Namespace', 'Bad.Name')),
  post('/api/v1/namespaces', core('Namespace', 'herd')),
  post('/api/v1/namespaces', core('Namespace', 'herd')),
  post('/api/v1/namespaces/nowhere/configmaps', configMap('x', {})),
  remove('/api/v1/namespaces/default'),
  remove('/api/v1/namespaces/kube-system'),
  post('/api/v1/persistentvolumes', core('PersistentVolume', 'none', { spec: {} })),
  post(
    '/api/v1/persistentvolumes',
    core('PersistentVolume', 'two', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a' },
        nfs: { server: 'a', path: '/b' },
      },
    }),
  ),
  post(
    '/api/v1/persistentvolumes',
    core('PersistentVolume', 'mode', {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['Odd'], hostPath: { path: '/a' } },
    }),
  ),
  post(`${NS}/persistentvolumeclaims`, core('PersistentVolumeClaim', 'none', { spec: {} })),
  post(
    `${NS}/persistentvolumeclaims`,
    core('PersistentVolumeClaim', 'zero', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } },
    }),
  ),
  post(
    `${NS}/persistentvolumeclaims`,
    core('PersistentVolumeClaim', 'good', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  ),
  merge(`${NS}/persistentvolumeclaims/good`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
  merge(`${NS}/persistentvolumeclaims/good`, { spec: { volumeName: 'x' } }),
  post('/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: meta('none'),
  }),
  post('/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: meta('good'),
    provisioner: 'a.b/c',
    reclaimPolicy: 'Odd',
  }),
  post('/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: meta('system-mine'),
    value: 1,
  }),
  post('/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: meta('high'),
    value: 2000000000,
  }),
  post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: meta('none'),
    rules: [{ apiGroups: [''], resources: ['pods'] }],
  }),
  post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: meta('mixed'),
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/a'] }],
  }),
  post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: meta('odd'),
    roleRef: { apiGroup: 'x', kind: 'Role', name: '' },
    subjects: [{ kind: 'Cat', name: 'x' }],
  }),
];

export const WORKLOADS_AND_MORE = {
  workloads: WORKLOADS,
  services: SERVICES,
  'nodes, namespaces, volumes, roles': NODES_AND_SPACES,
};
