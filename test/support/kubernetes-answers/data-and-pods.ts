import {
  configMap,
  container,
  type Exchange,
  merge,
  meta,
  NS,
  pod,
  post,
  remove,
  secret,
} from './requests.js';

const MAPS: readonly Exchange[] = [
  post(`${NS}/configmaps`, configMap('good', { a: '1' })),
  post(`${NS}/configmaps`, configMap('bad-key', { 'a b': '1' })),
  post(`${NS}/configmaps`, configMap('bad-key', { '..': '1' })),
  post(`${NS}/configmaps`, configMap('bad-key', { '..x': '1' })),
  post(`${NS}/configmaps`, configMap('bad-key', { ['k'.repeat(254)]: '1' })),
  post(`${NS}/configmaps`, configMap('bad-key', { '': '1' })),
  post(`${NS}/configmaps`, configMap('bad-value', { a: 1 })),
  post(`${NS}/configmaps`, configMap('bad-binary', {}, { binaryData: { a: '%%%' } })),
  post(`${NS}/configmaps`, configMap('twice', { a: '1' }, { binaryData: { a: 'MQ==' } })),
  post(`${NS}/configmaps`, configMap('Bad_Name', {})),
  post(
    `${NS}/configmaps`,
    configMap('other-ns', {}, { metadata: meta('other-ns', { namespace: 'kube-system' }) }),
  ),
  post(
    `${NS}/configmaps`,
    configMap('labelled', {}, { metadata: meta('labelled', { labels: { 'a/b/c': 'x' } }) }),
  ),
  post(
    `${NS}/configmaps`,
    configMap('labelled', {}, { metadata: meta('labelled', { labels: { a: 'x y' } }) }),
  ),
  post(
    `${NS}/configmaps`,
    configMap('noted', {}, { metadata: meta('noted', { annotations: { 'A B': 'x' } }) }),
  ),
  post(`${NS}/configmaps`, configMap('final', {}, { metadata: meta('final', { finalizers: ['nope'] }) })),
  post(
    `${NS}/configmaps`,
    configMap('final', {}, { metadata: meta('final', { finalizers: ['a.b/c', 'a b'] }) }),
  ),
  post(
    `${NS}/configmaps`,
    configMap(
      'owned',
      {},
      { metadata: meta('owned', { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x' }] }) },
    ),
  ),
  post(`${NS}/configmaps`, configMap('still', { a: '1' }, { immutable: true })),
  merge(`${NS}/configmaps/still`, { data: { a: '2' } }),
  merge(`${NS}/configmaps/still`, { immutable: false }),
  merge(`${NS}/configmaps/still`, { metadata: { labels: { a: 'b' } } }),
  merge(`${NS}/configmaps/missing`, { data: { a: '2' } }),
  remove(`${NS}/configmaps/still`),
  remove(`${NS}/configmaps/still`),
];

const SECRETS: readonly Exchange[] = [
  post(`${NS}/secrets`, secret('good', { stringData: { a: 'b' } })),
  post(`${NS}/secrets`, secret('not-base64', { data: { a: '%' } })),
  post(`${NS}/secrets`, secret('bad-key', { data: { 'a b': 'MQ==' } })),
  post(`${NS}/secrets`, secret('tls', { type: 'kubernetes.io/tls', data: {} })),
  post(`${NS}/secrets`, secret('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } })),
  post(`${NS}/secrets`, secret('login', { type: 'kubernetes.io/basic-auth', data: {} })),
  post(`${NS}/secrets`, secret('ssh', { type: 'kubernetes.io/ssh-auth', data: {} })),
  post(`${NS}/secrets`, secret('pull', { type: 'kubernetes.io/dockerconfigjson', data: {} })),
  post(
    `${NS}/secrets`,
    secret('pull', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } }),
  ),
  post(
    `${NS}/secrets`,
    secret('old-pull', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'eA==' } }),
  ),
  post(`${NS}/secrets`, secret('account', { type: 'kubernetes.io/service-account-token' })),
  merge(`${NS}/secrets/good`, { type: 'another' }),
  merge(`${NS}/secrets/good`, { immutable: true }),
  merge(`${NS}/secrets/good`, { data: { a: 'Yw==' } }),
];

const PODS: readonly Exchange[] = [
  post(`${NS}/pods`, pod('none', {}, [])),
  post(`${NS}/pods`, pod('unnamed', {}, [{ image: 'x' }])),
  post(`${NS}/pods`, pod('no-image', {}, [{ name: 'c' }])),
  post(`${NS}/pods`, pod('spaced', {}, container({ image: ' x' }))),
  post(
    `${NS}/pods`,
    pod('twins', {}, [
      { name: 'c', image: 'x' },
      { name: 'c', image: 'x' },
    ]),
  ),
  post(`${NS}/pods`, pod('loud', {}, [{ name: 'UPPER', image: 'x' }])),
  post(`${NS}/pods`, pod('port', {}, container({ ports: [{ containerPort: 70000 }] }))),
  post(
    `${NS}/pods`,
    pod('port', {}, container({ ports: [{ name: 'much-too-long-name', containerPort: 80 }] })),
  ),
  post(`${NS}/pods`, pod('port', {}, container({ ports: [{ name: '123', containerPort: 80 }] }))),
  post(`${NS}/pods`, pod('port', {}, container({ ports: [{ containerPort: 80, protocol: 'ICMP' }] }))),
  post(`${NS}/pods`, pod('env', {}, container({ env: [{ name: '' }] }))),
  post(`${NS}/pods`, pod('env', {}, container({ env: [{ name: 'a=b', value: 'c' }] }))),
  post(
    `${NS}/pods`,
    pod(
      'env',
      {},
      container({
        env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
    ),
  ),
  post(
    `${NS}/pods`,
    pod('env', {}, container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } }] })),
  ),
  post(`${NS}/pods`, pod('cpu', {}, container({ resources: { requests: { cpu: 'much' } } }))),
  post(`${NS}/pods`, pod('cpu', {}, container({ resources: { requests: { cpu: '-1' } } }))),
  post(
    `${NS}/pods`,
    pod('cpu', {}, container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
  ),
  post(`${NS}/pods`, pod('cpu', {}, container({ resources: { requests: { unknown: '2' } } }))),
  post(`${NS}/pods`, pod('cpu', {}, container({ resources: { requests: { 'example.com/gpu': '1' } } }))),
  post(`${NS}/pods`, pod('mount', {}, container({ volumeMounts: [{ name: 'v', mountPath: '/a' }] }))),
  post(
    `${NS}/pods`,
    pod(
      'mount',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      container({ volumeMounts: [{ name: 'v', mountPath: '' }] }),
    ),
  ),
  post(
    `${NS}/pods`,
    pod('mount', {
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    }),
  ),
  post(`${NS}/pods`, pod('mount', { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/a' } }] })),
  post(`${NS}/pods`, pod('mount', { volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] })),
  post(`${NS}/pods`, pod('mount', { volumes: [{ name: 'v', persistentVolumeClaim: {} }] })),
  post(`${NS}/pods`, pod('restart', { restartPolicy: 'Sometimes' })),
  post(`${NS}/pods`, pod('dns', { dnsPolicy: 'Mine' })),
  post(`${NS}/pods`, pod('dns', { dnsPolicy: 'None' })),
  post(`${NS}/pods`, pod('grace', { terminationGracePeriodSeconds: -1 })),
  post(`${NS}/pods`, pod('taint', { tolerations: [{ key: 'a', operator: 'Near' }] })),
  post(`${NS}/pods`, pod('taint', { tolerations: [{ operator: 'Equal', value: 'x' }] })),
  post(`${NS}/pods`, pod('taint', { tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] })),
  post(`${NS}/pods`, pod('taint', { tolerations: [{ key: 'a', effect: 'Never' }] })),
  post(`${NS}/pods`, pod('select', { nodeSelector: { 'a b': 'c' } })),
  post(
    `${NS}/pods`,
    pod('host', { hostNetwork: true }, container({ ports: [{ containerPort: 80, hostPort: 81 }] })),
  ),
  post(`${NS}/pods`, pod('account', { serviceAccountName: 'missing' })),
  post(`${NS}/pods`, pod('class', { priorityClassName: 'missing' })),
  post(`${NS}/pods`, pod('prio', { priority: 5 })),
  post(`${NS}/pods`, pod('deadline', { activeDeadlineSeconds: 0 })),
  post(
    `${NS}/pods`,
    pod('probe', {}, container({ livenessProbe: { periodSeconds: -1, httpGet: { path: '/', port: 80 } } })),
  ),
  post(`${NS}/pods`, pod('probe', {}, container({ livenessProbe: {} }))),
  post(
    `${NS}/pods`,
    pod(
      'probe',
      {},
      container({ livenessProbe: { httpGet: { path: '/', port: 'much-too-long-for-a-port' } } }),
    ),
  ),
  post(`${NS}/pods`, pod('probe', {}, container({ livenessProbe: { exec: { command: [] } } }))),
  post(`${NS}/pods`, pod('good', {})),
  merge(`${NS}/pods/good`, { spec: { hostNetwork: true } }),
  merge(`${NS}/pods/good`, { spec: { activeDeadlineSeconds: 100 } }),
  merge(`${NS}/pods/good`, { metadata: { name: 'better' } }),
  merge(`${NS}/pods/good`, { metadata: { uid: 'another' } }),
  remove(`${NS}/pods/good?gracePeriodSeconds=0`),
];

export const DATA_AND_PODS = { 'config maps': MAPS, secrets: SECRETS, pods: PODS };
