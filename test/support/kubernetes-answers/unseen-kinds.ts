import { core, type Exchange, get, merge, meta, NS, post, remove } from './requests.js';

const object = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: meta(name),
  ...more,
});
const template = (spec: object = {}, metadata: object = { labels: { app: 'ox' } }) => ({
  metadata,
  spec: { containers: [{ name: 'c', image: 'ox:1' }], ...spec },
});
const apps = '/apis/apps/v1/namespaces/default';
const workload = (kind: string, name: string, spec: object) =>
  object('apps/v1', kind, name, {
    spec: { selector: { matchLabels: { app: 'ox' } }, template: template(), ...spec },
  });
const jobs = '/apis/batch/v1/namespaces/default';
const job = (name: string, spec: object) =>
  object('batch/v1', 'Job', name, { spec: { template: template({ restartPolicy: 'Never' }, {}), ...spec } });
const cron = (name: string, spec: object, jobSpec: object = {}) =>
  object('batch/v1', 'CronJob', name, {
    spec: {
      jobTemplate: { spec: { template: template({ restartPolicy: 'OnFailure' }, {}), ...jobSpec } },
      ...spec,
    },
  });
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const budget = (name: string, spec: object) => object('policy/v1', 'PodDisruptionBudget', name, { spec });

const WORKLOADS: readonly Exchange[] = [
  post(
    `${apps}/deployments`,
    workload('Deployment', 'whole', {
      replicas: 0,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } },
    }),
  ),
  merge(`${apps}/deployments/whole`, { spec: { selector: { matchLabels: { app: 'cow' } } } }),
  merge(`${apps}/deployments/whole`, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
  merge(`${apps}/deployments/whole`, { spec: { template: { spec: { containers: [] } } } }),
  post(`${apps}/deployments`, workload('Deployment', 'strategy', { strategy: { type: 'BlueGreen' } })),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'much', { strategy: { rollingUpdate: { maxUnavailable: '101%', maxSurge: -1 } } }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'history', {
      revisionHistoryLimit: -1,
      minReadySeconds: -5,
      progressDeadlineSeconds: -1,
    }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'expression', {
      selector: { matchExpressions: [{ key: 'app', operator: 'Is', values: ['ox'] }] },
    }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'deadline', { template: template({ activeDeadlineSeconds: 5 }) }),
  ),
  post(
    `${apps}/deployments`,
    workload('Deployment', 'labels', { template: template({}, { labels: { app: 'ox', 'x y': 'z' } }) }),
  ),
  post(`${apps}/replicasets`, workload('ReplicaSet', 'set', { replicas: -2, selector: {} })),
  post(
    `${apps}/daemonsets`,
    workload('DaemonSet', 'both', { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }),
  ),
  post(
    `${apps}/daemonsets`,
    workload('DaemonSet', 'none', { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
  ),
  post(
    `${apps}/daemonsets`,
    workload('DaemonSet', 'runs', {
      template: template({ restartPolicy: 'OnFailure' }),
      minReadySeconds: -1,
    }),
  ),
  post(
    `${apps}/statefulsets`,
    workload('StatefulSet', 'whole', {
      replicas: 0,
      serviceName: 'ox',
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    }),
  ),
  merge(`${apps}/statefulsets/whole`, { spec: { volumeClaimTemplates: null } }),
  merge(`${apps}/statefulsets/whole`, {
    spec: { minReadySeconds: 3, updateStrategy: { rollingUpdate: { partition: -1 } } },
  }),
  post(
    `${apps}/statefulsets`,
    workload('StatefulSet', 'claims', {
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['Many'], resources: {} } }],
    }),
  ),
  post(
    `${apps}/statefulsets`,
    workload('StatefulSet', 'keeps', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Burn' } }),
  ),
  post(
    `${apps}/statefulsets`,
    workload('StatefulSet', 'updates', {
      updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } },
    }),
  ),
  post(
    `${NS}/replicationcontrollers`,
    core('ReplicationController', 'old', { spec: { replicas: 0, template: template() } }),
  ),
  post(`${jobs}/jobs`, job('whole', { suspend: true })),
  merge(`${jobs}/jobs/whole`, { spec: { completions: 5 } }),
  merge(`${jobs}/jobs/whole`, { spec: { parallelism: 0 } }),
  post(`${jobs}/jobs`, job('indexed', { completionMode: 'Indexed' })),
  post(`${jobs}/jobs`, job('mode', { completionMode: 'Random', ttlSecondsAfterFinished: -1 })),
  post(`${jobs}/jobs`, job('per-index', { backoffLimitPerIndex: 2 })),
  post(`${jobs}/jobs`, job('restart', { template: template({ restartPolicy: 'Sometimes' }, {}) })),
  post(`${jobs}/cronjobs`, cron('nightly', { schedule: '0 3 * * *' })),
  post(`${jobs}/cronjobs`, cron('range', { schedule: '61 * * * *' })),
  post(`${jobs}/cronjobs`, cron('word', { schedule: '* * * foo *' })),
  post(`${jobs}/cronjobs`, cron('descriptor', { schedule: '@fortnightly' })),
  post(`${jobs}/cronjobs`, cron('zone', { schedule: '@daily', timeZone: 'Mars/Olympus' })),
  post(
    `${jobs}/cronjobs`,
    cron('policy', { schedule: '*/5 * * * *', concurrencyPolicy: 'Queue', startingDeadlineSeconds: -1 }),
  ),
  post(
    `${jobs}/cronjobs`,
    cron('selector', { schedule: '@hourly' }, { selector: { matchLabels: { a: 'b' } } }),
  ),
  post(budgets, budget('half', { minAvailable: 'half', selector: { matchLabels: { app: 'ox' } } })),
  post(
    budgets,
    budget('policy', {
      maxUnavailable: '50%',
      unhealthyPodEvictionPolicy: 'Never',
      selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    }),
  ),
  post(budgets, budget('whole', { maxUnavailable: 1, selector: { matchLabels: { app: 'ox' } } })),
];

const service = (name: string, spec: object, more: object = {}) => core('Service', name, { spec, ...more });
const net = '/apis/networking.k8s.io/v1/namespaces/default';
const ingress = (name: string, spec: object) => object('networking.k8s.io/v1', 'Ingress', name, { spec });
const backend = { service: { name: 'web', port: { number: 80 } } };
const policy = (name: string, spec: object) =>
  object('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { podSelector: {}, ...spec } });

const NETWORK: readonly Exchange[] = [
  post(
    `${NS}/services`,
    service('web', { selector: { app: 'ox' }, ports: [{ port: 80, targetPort: 'http' }] }),
  ),
  merge(`${NS}/services/web`, { spec: { clusterIP: '10.96.200.200' } }),
  merge(`${NS}/services/web`, { spec: { type: 'ExternalName', externalName: 'Example.com' } }),
  merge(`${NS}/services/web`, { spec: { sessionAffinity: 'ClientIP' } }),
  merge(`${NS}/services/web`, { spec: { ports: null } }),
  remove(`${NS}/services/web`),
  post(`${NS}/services`, service('headless', { clusterIP: 'None' })),
  post(
    `${NS}/services`,
    service('balanced', {
      type: 'LoadBalancer',
      ports: [{ port: 443 }],
      loadBalancerSourceRanges: ['10.0.0.0/8'],
    }),
  ),
  post(
    `${NS}/services`,
    service('local', {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      ports: [{ port: 53, protocol: 'UDP' }],
    }),
  ),
  post(`${NS}/services`, service('name', { type: 'ExternalName', externalName: 'db.example.com' })),
  post(`${NS}/services`, service('bad-head', { type: 'NodePort', clusterIP: 'None', ports: [{ port: 80 }] })),
  post(
    `${NS}/services`,
    service('ranges', { ports: [{ port: 80 }], loadBalancerSourceRanges: ['10.0.0.1/8', 'x'] }),
  ),
  post(
    `${NS}/services`,
    service('class', {
      ports: [{ port: 80 }],
      loadBalancerClass: 'example.com/lb',
      allocateLoadBalancerNodePorts: false,
    }),
  ),
  post(
    `${NS}/services`,
    service('traffic', {
      ports: [{ port: 80 }],
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Nearby',
    }),
  ),
  post(`${NS}/services`, service('inside', { ports: [{ port: 80, nodePort: 30080 }] })),
  post(`${NS}/services`, service('loop', { ports: [{ port: 80 }], externalIPs: ['127.0.0.1', '0.0.0.0'] })),
  post(
    `${NS}/services`,
    service('portless', {
      ports: [{ port: 70000, targetPort: 'Much_Too', protocol: 'HTTP', appProtocol: 'a b' }],
    }),
  ),
  post(
    `${NS}/services`,
    service('sticky', {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } },
      ports: [{ port: 80 }],
    }),
  ),
  post(
    `${NS}/services`,
    service('families', { ipFamilies: ['IPv4', 'IPv4'], ipFamilyPolicy: 'Triple', ports: [{ port: 80 }] }),
  ),
  post(`${NS}/services`, service('select', { selector: { 'a b': 'c d' }, ports: [{ port: 80 }] })),
  post(`${NS}/services`, service('Upper', { ports: [{ port: 80 }] })),
  post(`${NS}/services`, service('dotted.name', { ports: [{ port: 80 }] })),
  post(
    `${NS}/endpoints`,
    core('Endpoints', 'ep', {
      subsets: [{ addresses: [{ ip: '169.254.1.1' }], ports: [{ port: 0 }, { port: 81 }] }],
    }),
  ),
  post(`${NS}/endpoints`, core('Endpoints', 'ep', { subsets: [{ ports: [{ port: 80 }] }] })),
  post(`${net}/ingresses`, ingress('none', {})),
  post(
    `${net}/ingresses`,
    ingress('host', {
      rules: [{ host: '1.2.3.4', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    }),
  ),
  post(
    `${net}/ingresses`,
    ingress('path', {
      rules: [
        {
          host: '*.example.com',
          http: {
            paths: [
              { path: 'x', pathType: 'Exact', backend },
              { path: '/a//b', pathType: 'Prefix', backend: {} },
              { path: '/', backend },
            ],
          },
        },
      ],
    }),
  ),
  post(
    `${net}/ingresses`,
    ingress('whole', {
      ingressClassName: 'nginx',
      defaultBackend: backend,
      tls: [{ hosts: ['a.example.com'], secretName: 'tls' }],
    }),
  ),
  post(
    `${net}/ingresses`,
    ingress('backend', { defaultBackend: { service: { name: 'web', port: { name: 'http', number: 80 } } } }),
  ),
  post(
    '/apis/networking.k8s.io/v1/ingressclasses',
    object('networking.k8s.io/v1', 'IngressClass', 'plain', { spec: { controller: 'nginx' } }),
  ),
  post(
    `${net}/networkpolicies`,
    policy('whole', {
      ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }], ports: [{ port: 80 }] }],
    }),
  ),
  post(
    `${net}/networkpolicies`,
    policy('block', {
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['192.168.0.0/16', 'x'] } }, {}] }],
    }),
  ),
  post(
    `${net}/networkpolicies`,
    policy('ports', {
      policyTypes: ['Ingress', 'Sideways'],
      ingress: [{ ports: [{ port: 100, endPort: 90, protocol: 'ICMP' }, { endPort: 5 }] }],
    }),
  ),
];

const storage = '/apis/storage.k8s.io/v1/storageclasses';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const volume = (name: string, spec: object) =>
  core('PersistentVolume', name, {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  });
const claim = (name: string, spec: object) =>
  core('PersistentVolumeClaim', name, {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
const scaling = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const scaler = (name: string, spec: object) =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', name, {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'whole' },
      maxReplicas: 4,
      ...spec,
    },
  });

const CLUSTER: readonly Exchange[] = [
  post('/api/v1/persistentvolumes', volume('local', { local: { path: '/mnt/../x' } })),
  post(
    '/api/v1/persistentvolumes',
    volume('policy', {
      hostPath: { path: '/' },
      persistentVolumeReclaimPolicy: 'Recycle',
      volumeMode: 'Raw',
    }),
  ),
  post('/api/v1/persistentvolumes', volume('csi', { csi: { driver: 'Bad Driver' } })),
  post(
    '/api/v1/persistentvolumes',
    volume('size', { capacity: { storage: '0', cpu: '1' }, hostPath: { path: '/a' } }),
  ),
  post(
    '/api/v1/persistentvolumes',
    volume('whole', { nfs: { server: 'nas', path: '/vol' }, storageClassName: 'slow' }),
  ),
  merge('/api/v1/persistentvolumes/whole', { spec: { nfs: { path: '/other' } } }),
  merge('/api/v1/persistentvolumes/whole', { spec: { persistentVolumeReclaimPolicy: 'Delete' } }),
  post(
    `${NS}/persistentvolumeclaims`,
    claim('modes', { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'], volumeMode: 'Tape' }),
  ),
  post(
    `${NS}/persistentvolumeclaims`,
    claim('class', { storageClassName: 'Bad_Class', dataSource: { kind: 'Snapshot', name: 's' } }),
  ),
  post(`${NS}/persistentvolumeclaims`, claim('whole', { storageClassName: 'slow' })),
  merge(`${NS}/persistentvolumeclaims/whole`, { spec: { storageClassName: 'fast' } }),
  merge(`${NS}/persistentvolumeclaims/whole`, { spec: { accessModes: ['ReadOnlyMany'] } }),
  post(
    storage,
    object('storage.k8s.io/v1', 'StorageClass', 'odd', { provisioner: 'a b', volumeBindingMode: 'Later' }),
  ),
  post(
    storage,
    object('storage.k8s.io/v1', 'StorageClass', 'unseen', {
      provisioner: 'example.com/disk',
      parameters: { kind: 'ssd' },
    }),
  ),
  merge(`${storage}/unseen`, { parameters: { kind: 'hdd' }, reclaimPolicy: 'Retain' }),
  merge(`${storage}/unseen`, { allowVolumeExpansion: true }),
  post(
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    object('scheduling.k8s.io/v1', 'PriorityClass', 'unseen', { value: 100 }),
  ),
  merge('/apis/scheduling.k8s.io/v1/priorityclasses/unseen', { value: 200 }),
  post(
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    object('scheduling.k8s.io/v1', 'PriorityClass', 'preempt', { value: 1, preemptionPolicy: 'Ask' }),
  ),
  post(
    '/apis/node.k8s.io/v1/runtimeclasses',
    object('node.k8s.io/v1', 'RuntimeClass', 'gvisor', { handler: 'Run_SC' }),
  ),
  post(
    `${rbac}/namespaces/default/roles`,
    object(RBAC, 'Role', 'urls', {
      rules: [
        { verbs: ['get'], nonResourceURLs: ['/x'] },
        { verbs: [], resources: ['pods'] },
      ],
    }),
  ),
  post(
    `${rbac}/clusterroles`,
    object(RBAC, 'ClusterRole', 'a/b', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }),
  ),
  post(`${rbac}/clusterroles`, object(RBAC, 'ClusterRole', 'gather', { aggregationRule: {} })),
  post(
    `${rbac}/namespaces/default/rolebindings`,
    object(RBAC, 'RoleBinding', 'who', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'ServiceAccount', name: 'Bad_Name', apiGroup: 'x' },
        { kind: 'User', name: '' },
      ],
    }),
  ),
  post(
    `${rbac}/clusterrolebindings`,
    object(RBAC, 'ClusterRoleBinding', 'whole', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'Group', name: 'herders' }],
    }),
  ),
  merge(`${rbac}/clusterrolebindings/whole`, { roleRef: { name: 'edit' } }),
  post(
    scaling,
    scaler('target', {
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '-1' } },
        },
      ],
    }),
  ),
  post(
    scaling,
    scaler('pods', {
      metrics: [{ type: 'Pods', pods: { metric: { name: 'a/b' }, target: { type: 'Value', value: '5' } } }],
    }),
  ),
  post(
    scaling,
    scaler('external', {
      minReplicas: 0,
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
        },
      ],
    }),
  ),
  post(
    scaling,
    scaler('behave', {
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 4000,
          policies: [{ type: 'Sheep', value: 0, periodSeconds: 2000 }],
        },
      },
    }),
  ),
  post(scaling, scaler('calm', { behavior: { scaleUp: { selectPolicy: 'Min' } } })),
  post(
    `${NS}/resourcequotas`,
    core('ResourceQuota', 'best', { spec: { hard: { cpu: '1', pods: '2' }, scopes: ['BestEffort'] } }),
  ),
  post(
    `${NS}/resourcequotas`,
    core('ResourceQuota', 'select', {
      spec: {
        hard: { pods: '2' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'Terminating', operator: 'In', values: ['x'] },
          ],
        },
      },
    }),
  ),
  post(
    `${NS}/resourcequotas`,
    core('ResourceQuota', 'counts', {
      spec: {
        hard: {
          'count/deployments.apps': '5',
          'requests.storage': '10Gi',
          'slow.storageclass.storage.k8s.io/requests.storage': '5Gi',
        },
      },
    }),
  ),
  post(
    `${NS}/limitranges`,
    core('LimitRange', 'ratio', {
      spec: {
        limits: [
          { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } },
        ],
      },
    }),
  ),
  post(
    `${NS}/limitranges`,
    core('LimitRange', 'type', { spec: { limits: [{ type: 'Bottle', max: { wine: '1' } }] } }),
  ),
  post(
    `${NS}/limitranges`,
    core('LimitRange', 'claims', {
      spec: {
        limits: [{ type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '20Gi' } }],
      },
    }),
  ),
  post(
    '/api/v1/namespaces',
    core('Namespace', 'unseen', {
      metadata: meta('unseen', { annotations: { 'a b': 'c' }, finalizers: ['x'] }),
    }),
  ),
  post(
    '/api/v1/nodes',
    core('Node', 'unseen', {
      spec: {
        podCIDR: '10.0.0.1/24',
        podCIDRs: ['10.0.0.1/24', '10.1.0.0/24'],
        taints: [{ key: '', value: 'a b', effect: '' }],
      },
    }),
  ),
  post(
    `${NS}/secrets`,
    core('Secret', 'docker', {
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('{"a":').toString('base64') },
    }),
  ),
  post(`${NS}/serviceaccounts`, core('ServiceAccount', 'robot', { automountServiceAccountToken: false })),
  get('/apis/storage.k8s.io/v1/storageclasses/unseen'),
];

export const UNSEEN_KINDS = {
  'workloads, unseen': WORKLOADS,
  'network, unseen': NETWORK,
  'cluster, unseen': CLUSTER,
};
