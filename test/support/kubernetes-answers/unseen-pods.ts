import { container, core, type Exchange, get, merge, meta, NS, pod, post, remove } from './requests.js';

/** A second set, written before its answers were seen: the rate on it says how well the rules are known. */

const pods = `${NS}/pods`;
const one = { name: 'c', image: 'registry.example.com/app:1.2' };
const withVolume = (source: object, mounts: readonly object[] = []) =>
  pod('vol', { volumes: [{ name: 'data', ...source }] }, container({ volumeMounts: mounts }));
const affine = (affinity: object) => pod('affine', { affinity });

const SHAPES: readonly Exchange[] = [
  post(pods, pod('init-twin', { initContainers: [{ name: 'c', image: 'x' }] })),
  post(
    pods,
    pod('init-probe', {
      initContainers: [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['a'] } } }],
    }),
  ),
  post(
    pods,
    pod('sidecar', {
      initContainers: [
        { name: 'side', image: 'x', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 8080 } } },
      ],
    }),
  ),
  post(pods, pod('pull', {}, container({ imagePullPolicy: 'Sometimes' }))),
  post(pods, pod('message', {}, container({ terminationMessagePolicy: 'Nowhere' }))),
  post(pods, pod('digest', {}, [{ ...one, image: 'registry.example.com:5000/app@sha256:abc' }])),
  post(pods, pod('two-dots', {}, [{ name: 'a.b', image: 'x' }])),
  post(pods, pod('long', {}, [{ name: 'n'.repeat(64), image: 'x' }])),
  post(pods, pod('host-names', { hostname: 'Not_Good', subdomain: '-x' })),
  post(pods, pod('aliases', { hostAliases: [{ ip: '1.2.3.400', hostnames: ['ok', 'no_good'] }] })),
  post(pods, pod('aliases', { hostAliases: [{ ip: '10.1.2.3', hostnames: ['db.example.com'] }] })),
  post(pods, pod('gates', { schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/wait' }] })),
  post(pods, pod('gate', { readinessGates: [{ conditionType: 'a b' }] })),
  post(pods, pod('share', { shareProcessNamespace: true, hostPID: true })),
  post(pods, pod('runtime', { runtimeClassName: 'missing' })),
  post(pods, pod('os', { os: { name: 'plan9' } })),
  post(pods, pod('resolve', { dnsPolicy: 'None', dnsConfig: { nameservers: [] } })),
  post(
    pods,
    pod('resolve', {
      dnsConfig: { nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'], searches: ['Bad Name'] },
    }),
  ),
  post(
    pods,
    pod('resolve', {
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['1.1.1.1'],
        searches: ['_tcp.example.com'],
        options: [{ name: 'ndots', value: '2' }],
      },
    }),
  ),
  post(
    pods,
    pod('ids', { securityContext: { runAsUser: -1, fsGroup: 3_000_000_000, supplementalGroups: [1, -2] } }),
  ),
  post(
    pods,
    pod('kernel', {
      securityContext: {
        sysctls: [
          { name: 'net.core.somaxconn', value: '1024' },
          { name: 'Bad!', value: '' },
        ],
      },
    }),
  ),
  post(pods, pod('seccomp', { securityContext: { seccompProfile: { type: 'Localhost' } } })),
  post(
    pods,
    pod(
      'seccomp',
      {},
      container({
        securityContext: {
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'x' },
        },
      }),
    ),
  ),
  post(
    pods,
    pod(
      'escalate',
      {},
      container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    ),
  ),
  post(
    pods,
    pod('hook', {}, container({ lifecycle: { preStop: { httpGet: { port: 'web' } }, postStart: {} } })),
  ),
  post(pods, pod('hook', {}, container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }))),
  post(pods, pod('check', {}, container({ readinessProbe: { grpc: { port: 0 } } }))),
  post(pods, pod('check', {}, container({ startupProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }))),
  post(
    pods,
    pod(
      'check',
      {},
      container({
        readinessProbe: {
          httpGet: { port: 80, scheme: 'FTP', httpHeaders: [{ name: 'Bad Header', value: 'x' }] },
        },
      }),
    ),
  ),
  post(
    pods,
    pod('check', {}, container({ livenessProbe: { exec: { command: ['true'] }, tcpSocket: { port: 1 } } })),
  ),
  post(
    pods,
    pod(
      'check',
      {},
      container({ readinessProbe: { grpc: { port: 9000 }, terminationGracePeriodSeconds: 5 } }),
    ),
  ),
  post(
    pods,
    pod(
      'ports',
      {},
      container({
        ports: [
          { name: 'web', containerPort: 80 },
          { name: 'web', containerPort: 81 },
        ],
      }),
    ),
  ),
  post(
    pods,
    pod(
      'ports',
      {},
      container({
        ports: [
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 81, hostPort: 8080 },
        ],
      }),
    ),
  ),
  post(pods, pod('ports', {}, container({ ports: [{ containerPort: 80, hostPort: 65536, name: 'a--b' }] }))),
  post(pods, pod('ports', { hostNetwork: true }, container({ ports: [{ containerPort: 80 }] }))),
  post(pods, pod('vars', {}, container({ env: [{ name: 'A', valueFrom: {} }] }))),
  post(
    pods,
    pod('vars', {}, container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cfg' } } }] })),
  ),
  post(
    pods,
    pod(
      'vars',
      {},
      container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'Sec', key: 'a/b' } } }] }),
    ),
  ),
  post(
    pods,
    pod(
      'vars',
      {},
      container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] }),
    ),
  ),
  post(
    pods,
    pod(
      'vars',
      {},
      container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }] }),
    ),
  ),
  post(
    pods,
    pod(
      'vars',
      {},
      container({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } }] }),
    ),
  ),
  post(
    pods,
    pod(
      'vars',
      {},
      container({
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '2Mi' } } }],
      }),
    ),
  ),
  post(pods, pod('vars', {}, container({ envFrom: [{ configMapRef: { name: '' } }, {}] }))),
  post(
    pods,
    pod(
      'vars',
      {},
      container({
        env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        envFrom: [{ prefix: 'X_', secretRef: { name: 's' } }],
      }),
    ),
  ),
];

const PLACES: readonly Exchange[] = [
  post(pods, withVolume({ secret: {} })),
  post(pods, withVolume({ configMap: { name: 'c', defaultMode: 1000 } })),
  post(
    pods,
    withVolume({
      configMap: {
        name: 'c',
        items: [
          { key: 'k', path: '/abs' },
          { key: '', path: '../up' },
        ],
      },
    }),
  ),
  post(pods, withVolume({ nfs: { server: '', path: 'rel' } })),
  post(pods, withVolume({ hostPath: { path: '/x', type: 'Pipe' } })),
  post(pods, withVolume({ emptyDir: { sizeLimit: '-1' } })),
  post(pods, withVolume({ downwardAPI: { items: [{ path: 'labels' }] } })),
  post(
    pods,
    withVolume({ downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } }),
  ),
  post(
    pods,
    withVolume({
      projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 60 } }] },
    }),
  ),
  post(
    pods,
    withVolume({
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: [], resources: { requests: { storage: '1Gi' } } } },
      },
    }),
  ),
  post(pods, withVolume({ csi: { driver: '' } })),
  post(
    pods,
    withVolume({ emptyDir: { medium: 'Memory' } }, [{ name: 'data', mountPath: '/a', subPath: '../b' }]),
  ),
  post(
    pods,
    withVolume({ emptyDir: {} }, [
      { name: 'data', mountPath: '/a' },
      { name: 'data', mountPath: '/a' },
    ]),
  ),
  post(
    pods,
    withVolume({ emptyDir: {} }, [{ name: 'data', mountPath: '/a', mountPropagation: 'Bidirectional' }]),
  ),
  post(
    pods,
    affine({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } }),
  ),
  post(
    pods,
    affine({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'zone', operator: 'In' },
                { key: 'n', operator: 'Gt', values: ['1', '2'] },
                { key: 'x', operator: 'Like', values: ['1'] },
              ],
            },
          ],
        },
      },
    }),
  ),
  post(
    pods,
    affine({
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 101,
            preference: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
          },
        ],
      },
    }),
  ),
  post(
    pods,
    affine({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { 'a b': 'c' } }, topologyKey: '' },
        ],
      },
    }),
  ),
  post(
    pods,
    affine({
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, podAffinityTerm: { namespaces: ['Bad'], topologyKey: 'zone' } },
        ],
      },
    }),
  ),
  post(
    pods,
    pod('spread', {
      topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Maybe' }],
    }),
  ),
  post(
    pods,
    pod('spread', {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
      ],
    }),
  ),
  post(
    pods,
    pod('tolerate', {
      tolerations: [
        { key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 },
        { key: 'a/b/c', operator: 'Exists' },
      ],
    }),
  ),
  post(
    pods,
    pod(
      'sizes',
      {},
      container({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }),
    ),
  ),
  post(pods, pod('sizes', {}, container({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }))),
  post(
    pods,
    pod(
      'sizes',
      {},
      container({
        resources: { limits: { 'example.com/gpu': '1500m' }, requests: { 'example.com/gpu': '1' } },
      }),
    ),
  ),
  post(pods, pod('life', { activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 5 }, [one])),
  merge(`${pods}/life`, { spec: { activeDeadlineSeconds: 90 } }),
  merge(`${pods}/life`, { spec: { activeDeadlineSeconds: null } }),
  merge(`${pods}/life`, { spec: { tolerations: [] } }),
  merge(`${pods}/life`, { spec: { containers: [one, { name: 'd', image: 'x' }] } }),
  merge(`${pods}/life`, { metadata: { labels: { 'bad key!': 'x' }, finalizers: ['nope'] } }),
  merge(`${pods}/life`, { spec: { priority: 'high' } }),
  get(`${pods}/life`),
  remove(`${pods}/life?gracePeriodSeconds=0`),
  post(pods, core('Pod', 'made', { metadata: { generateName: 'Made_' }, spec: { containers: [one] } })),
  post(
    pods,
    core('Pod', 'owned', {
      metadata: meta('owned', { ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: 'x', uid: 'u' }] }),
      spec: { containers: [one] },
    }),
  ),
];

export const UNSEEN_PODS = { 'pods, unseen': SHAPES, 'volumes and placement, unseen': PLACES };
