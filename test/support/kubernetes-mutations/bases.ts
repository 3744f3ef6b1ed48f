/** One good object of every built-in kind that clients write, with many of its fields set. */
import { meta } from '../kubernetes-answers/requests.js';

export interface Base {
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;
}

const NS = '/namespaces/default';
/** Limits and quotas would act on the pods of their own namespace. */
const APART = '/namespaces/kube-public';
const labels = { app: 'web', 'example.com/tier': 'front' };
const named = (name: string) => meta(name, { labels, annotations: { note: 'x' } });

function base(
  group: string,
  resource: string,
  kind: string,
  body: object,
  cluster = false,
  space = NS,
): Base {
  const root = group === 'v1' ? '/api/v1' : `/apis/${group}`;
  return {
    path: `${root}${cluster ? '' : space}/${resource}`,
    body: { apiVersion: group, kind, metadata: named(`base-${kind.toLowerCase()}`), ...body },
  };
}

const CONTAINER = {
  name: 'main',
  image: 'web:1',
  command: ['run'],
  args: ['-v'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'A', value: 'b' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'c', optional: true } }],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
  volumeMounts: [
    { name: 'data', mountPath: '/data', subPath: 'a' },
    { name: 'config', mountPath: '/config', readOnly: true },
  ],
  livenessProbe: {
    httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
    periodSeconds: 5,
    timeoutSeconds: 2,
  },
  readinessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 1, failureThreshold: 3 },
  lifecycle: { preStop: { exec: { command: ['sleep'] } } },
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'File',
  securityContext: {
    runAsUser: 1000,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
  },
};

const POD_SPEC = {
  containers: [CONTAINER],
  initContainers: [{ name: 'first', image: 'init:1', restartPolicy: 'Always' }],
  volumes: [
    { name: 'data', emptyDir: { sizeLimit: '1Gi', medium: 'Memory' } },
    {
      name: 'config',
      configMap: { name: 'c', defaultMode: 420, items: [{ key: 'k', path: 'p' }], optional: true },
    },
    { name: 'secret', secret: { secretName: 's', optional: true } },
    { name: 'host', hostPath: { path: '/var', type: 'Directory' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
    {
      name: 'all',
      projected: {
        sources: [
          { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
          { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        ],
      },
    },
  ],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 30 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, preference: { matchExpressions: [{ key: 'n', operator: 'Gt', values: ['3'] }] } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    },
  ],
  dnsPolicy: 'None',
  dnsConfig: {
    nameservers: ['10.0.0.1'],
    searches: ['example.org'],
    options: [{ name: 'ndots', value: '2' }],
  },
  hostAliases: [{ ip: '10.0.0.9', hostnames: ['db.example.org'] }],
  securityContext: { fsGroup: 2000, supplementalGroups: [1], seccompProfile: { type: 'RuntimeDefault' } },
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 20,
  imagePullSecrets: [{ name: 'pull' }],
  priorityClassName: 'system-node-critical',
  hostname: 'web',
  subdomain: 'pods',
};

const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: POD_SPEC };
const once = { metadata: { labels }, spec: { ...POD_SPEC, restartPolicy: 'OnFailure' } };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

const WORKLOADS: readonly Base[] = [
  base('v1', 'pods', 'Pod', { spec: { ...POD_SPEC, priorityClassName: '' } }),
  base('v1', 'podtemplates', 'PodTemplate', { template }),
  base('v1', 'replicationcontrollers', 'ReplicationController', {
    spec: { replicas: 2, selector: labels, template },
  }),
  base('apps/v1', 'deployments', 'Deployment', {
    spec: {
      replicas: 3,
      selector,
      template,
      minReadySeconds: 5,
      progressDeadlineSeconds: 60,
      revisionHistoryLimit: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 1 } },
    },
  }),
  base('apps/v1', 'statefulsets', 'StatefulSet', {
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector,
      template,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  base('apps/v1', 'daemonsets', 'DaemonSet', {
    spec: {
      selector,
      template,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
    },
  }),
  base('apps/v1', 'replicasets', 'ReplicaSet', {
    spec: { replicas: 1, selector, template, minReadySeconds: 3 },
  }),
  base('batch/v1', 'jobs', 'Job', {
    spec: {
      template: once,
      parallelism: 2,
      completions: 4,
      backoffLimit: 3,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 10,
      completionMode: 'Indexed',
      suspend: true,
    },
  }),
  base('batch/v1', 'cronjobs', 'CronJob', {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 60,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: once } },
    },
  }),
];

const NETWORK: readonly Base[] = [
  base('v1', 'services', 'Service', {
    spec: {
      type: 'LoadBalancer',
      selector: labels,
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' },
        { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
      ],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 100 } },
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Cluster',
      ipFamilyPolicy: 'SingleStack',
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      externalIPs: ['192.0.2.1'],
    },
  }),
  base('v1', 'endpoints', 'Endpoints', {
    subsets: [
      {
        addresses: [{ ip: '10.1.0.1', hostname: 'a', nodeName: 'n', targetRef: { kind: 'Pod', name: 'p' } }],
        ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
      },
    ],
  }),
  base('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.1.0.1'], conditions: { ready: true }, hostname: 'a', nodeName: 'n', zone: 'z' },
    ],
    ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' }],
  }),
  base('networking.k8s.io/v1', 'ingresses', 'Ingress', {
    spec: {
      ingressClassName: 'nginx',
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      tls: [{ hosts: ['a.example.org'], secretName: 'tls' }],
      rules: [
        {
          host: 'a.example.org',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    },
  }),
  base('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', {
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }, { namespaceSelector: {} }],
          ports: [{ protocol: 'TCP', port: 80, endPort: 90 }],
        },
      ],
      egress: [
        { to: [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] } }] },
      ],
    },
  }),
  base(
    'networking.k8s.io/v1',
    'ingressclasses',
    'IngressClass',
    {
      spec: {
        controller: 'example.org/nginx',
        parameters: { apiGroup: 'k.example.org', kind: 'P', name: 'x', scope: 'Cluster' },
      },
    },
    true,
  ),
];

const STORAGE: readonly Base[] = [
  base('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      storageClassName: 'fast',
      resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
      selector: { matchLabels: { disk: 'a' } },
    },
  }),
  base(
    'v1',
    'persistentvolumes',
    'PersistentVolume',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'fast',
        volumeMode: 'Filesystem',
        csi: { driver: 'csi.example.org', volumeHandle: 'h', fsType: 'ext4', volumeAttributes: { a: 'b' } },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
          },
        },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c' },
      },
    },
    true,
  ),
  base(
    'storage.k8s.io/v1',
    'storageclasses',
    'StorageClass',
    {
      provisioner: 'csi.example.org',
      parameters: { a: 'b' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
      mountOptions: ['ro'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
    true,
  ),
  base(
    'storage.k8s.io/v1',
    'csidrivers',
    'CSIDriver',
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent'],
        tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }],
      },
    },
    true,
  ),
  base(
    'storage.k8s.io/v1',
    'volumeattachments',
    'VolumeAttachment',
    {
      spec: { attacher: 'csi.example.org', nodeName: 'work-1', source: { persistentVolumeName: 'pv' } },
    },
    true,
  ),
];

const RECORDS: readonly Base[] = [
  base('v1', 'configmaps', 'ConfigMap', {
    data: { a: 'b', 'c.txt': 'd' },
    binaryData: { e: 'AQI=' },
    immutable: false,
  }),
  base('v1', 'secrets', 'Secret', { type: 'Opaque', data: { a: 'Yg==' }, stringData: { c: 'd' } }),
  base('v1', 'serviceaccounts', 'ServiceAccount', {
    secrets: [{ name: 's' }],
    imagePullSecrets: [{ name: 'p' }],
    automountServiceAccountToken: false,
  }),
  base('v1', 'namespaces', 'Namespace', { spec: { finalizers: ['kubernetes'] } }, true),
  base(
    'v1',
    'nodes',
    'Node',
    {
      spec: {
        podCIDR: '10.244.9.0/24',
        podCIDRs: ['10.244.9.0/24'],
        unschedulable: true,
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      },
    },
    true,
  ),
  base(
    'v1',
    'resourcequotas',
    'ResourceQuota',
    {
      spec: {
        hard: { pods: '10', 'requests.cpu': '4' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
      },
    },
    false,
    APART,
  ),
  base(
    'v1',
    'limitranges',
    'LimitRange',
    {
      spec: {
        limits: [
          {
            type: 'Container',
            default: { cpu: '1' },
            defaultRequest: { cpu: '500m' },
            min: { cpu: '100m' },
            max: { cpu: '2' },
            maxLimitRequestRatio: { cpu: '4' },
          },
        ],
      },
    },
    false,
    APART,
  ),
  base('coordination.k8s.io/v1', 'leases', 'Lease', {
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2026-01-02T03:04:05.000006Z',
    },
  }),
  base('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    spec: { minAvailable: '50%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  }),
  base('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 10,
          selectPolicy: 'Max',
          policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
        },
      },
    },
  }),
  base('rbac.authorization.k8s.io/v1', 'roles', 'Role', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }],
  }),
  base(
    'rbac.authorization.k8s.io/v1',
    'clusterroles',
    'ClusterRole',
    {
      rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [selector] },
    },
    true,
  ),
  base('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding', {
    subjects: [
      { kind: 'ServiceAccount', name: 'a', namespace: 'default' },
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
    ],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  }),
  base(
    'rbac.authorization.k8s.io/v1',
    'clusterrolebindings',
    'ClusterRoleBinding',
    {
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
    },
    true,
  ),
  base(
    'scheduling.k8s.io/v1',
    'priorityclasses',
    'PriorityClass',
    { value: 100, globalDefault: false, preemptionPolicy: 'Never', description: 'd' },
    true,
  ),
  base(
    'node.k8s.io/v1',
    'runtimeclasses',
    'RuntimeClass',
    {
      handler: 'runc',
      overhead: { podFixed: { cpu: '100m' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
    },
    true,
  ),
  base('v1', 'events', 'Event', {
    involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
    count: 1,
    firstTimestamp: '2026-01-02T03:04:05Z',
  }),
];

/** The whole of a pod's rules is tried on pods; workloads that have a template carry a short one. */
export const BASES: readonly Base[] = [...WORKLOADS, ...NETWORK, ...STORAGE, ...RECORDS];
