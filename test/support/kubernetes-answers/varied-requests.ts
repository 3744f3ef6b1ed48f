/** What the recorded scenarios ask, asked a little otherwise: options, selectors, pages, preconditions, forms. */
import {
  configMap,
  core,
  type Exchange,
  get,
  merge,
  meta,
  operations,
  post,
  put,
  remove,
  table,
} from './requests.js';

const namespace = (name: string): readonly Exchange[] => [
  post('/api/v1/namespaces', core('Namespace', name)),
  post(`/api/v1/namespaces/${name}/serviceaccounts`, core('ServiceAccount', 'default')),
];

const OPTIONS_AT = '/api/v1/namespaces/varied-options/configmaps';
const OPTIONS: readonly Exchange[] = [
  ...namespace('varied-options'),
  ...[
    'dryRun=Some',
    'dryRun=All&dryRun=None',
    'fieldValidation=Loose',
    `fieldManager=${'m'.repeat(129)}`,
  ].map((query) => post(`${OPTIONS_AT}?${query}`, configMap('a', {}))),
  post(`${OPTIONS_AT}?fieldManager=a%0Ab&dryRun=x`, configMap('a', {})),
  post(`${OPTIONS_AT}?dryRun=All`, configMap('a', { dry: 'run' })),
  post(OPTIONS_AT, configMap('a', { k: 'v' })),
  put(`${OPTIONS_AT}/a?fieldValidation=Weak`, configMap('a', {})),
  put(`${OPTIONS_AT}/a?dryRun=All`, configMap('a', { dry: 'run' })),
  merge(`${OPTIONS_AT}/a?force=true`, {}),
  merge(`${OPTIONS_AT}/a?force=false&fieldManager=x`, {}),
  post(OPTIONS_AT, { ...configMap('b', {}), metadata: meta('b', { resourceVersion: '7' }) }),
  post(OPTIONS_AT, { ...configMap('b', {}), metadata: meta('b', { generation: 4, selfLink: '/x' }) }),
  put(`${OPTIONS_AT}/a`, { ...configMap('a', {}), metadata: meta('a', { resourceVersion: 'x' }) }),
  post(OPTIONS_AT, { ...configMap('c', {}), apiVersion: 'v3' }),
  post(OPTIONS_AT, { ...configMap('c', {}), kind: 'Configmap' }),
  post(OPTIONS_AT, { ...configMap('c', {}), apiVersion: 'apps/v1', kind: 'Deployment' }),
  post(OPTIONS_AT, [configMap('c', {})]),
  post(OPTIONS_AT, 'text'),
  remove(`${OPTIONS_AT}/a`, { propagationPolicy: 'Background', orphanDependents: false }),
  remove(`${OPTIONS_AT}/a`, { dryRun: ['Maybe'] }),
  remove(`${OPTIONS_AT}/a`, { kind: 'ConfigMap', apiVersion: 'v1' }),
  remove(`${OPTIONS_AT}/a`, { preconditions: { uid: '' } }),
  remove(`${OPTIONS_AT}/a?gracePeriodSeconds=soon`),
  remove(`${OPTIONS_AT}/a`, { orphanDependents: true }),
  remove(`${OPTIONS_AT}/a`, { propagationPolicy: 'Foreground' }),
  merge(`${OPTIONS_AT}/a`, { metadata: { finalizers: ['example.com/late'] } }),
  merge(`${OPTIONS_AT}/a`, { metadata: { finalizers: null } }),
  get(`${OPTIONS_AT}/a`),
];

const LIST_AT = '/api/v1/namespaces/varied-lists/configmaps';
const labelled = (name: string, n: number) => ({
  ...configMap(name, { n: String(n) }),
  metadata: meta(name, { labels: { n: String(n), kind: n % 2 === 0 ? 'even' : 'odd' } }),
});
const LISTS: readonly Exchange[] = [
  ...namespace('varied-lists'),
  ...['one', 'two', 'three', 'four'].map((name, index) => post(LIST_AT, labelled(name, index + 1))),
  ...[
    'n>2',
    'n<3,kind',
    'n>two',
    'kind in (odd,)',
    'kind notin (odd),n!=2',
    'kind in odd',
    'kind in (odd',
    'kind=odd even',
    'kind odd',
    ',kind',
    'kind,',
    '!kind,n',
    '!',
    'k/i/n=d',
    'kind=a/b',
    'in=x',
  ].map((text) => get(`${LIST_AT}?labelSelector=${encodeURIComponent(text)}`)),
  ...[
    'metadata.name!=one',
    'metadata.name==two',
    'metadata.name',
    'data.n=1',
    'metadata.name=one,metadata.namespace=x',
  ].map((text) => get(`${LIST_AT}?fieldSelector=${encodeURIComponent(text)}`)),
  ...[
    'limit=few',
    'timeoutSeconds=long',
    'limit=2&resourceVersion=0',
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=1&resourceVersionMatch=Newest',
    'resourceVersionMatch=Exact&continue=x',
    'sendInitialEvents=false',
    'continue=eyJ2Ijo',
    'resourceVersion=-1',
    'watch=true&sendInitialEvents=true',
    'watch=true&resourceVersionMatch=Exact&resourceVersion=1',
    'watch=true&continue=x',
    'watch=true&fieldSelector=data.n%3D1',
  ].map((query) => get(`${LIST_AT}?${query}`)),
  get(`${LIST_AT}/one?resourceVersion=new`),
  table(`${LIST_AT}?includeObject=All`),
  table(`${LIST_AT}/one?includeObject=None`),
  { ...get(`${LIST_AT}/one`), accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  { ...get(LIST_AT), accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  { ...get(`${LIST_AT}/one`), accept: 'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io' },
  { ...get(`${LIST_AT}/one`), accept: 'application/json;as=Table;v=v2;g=meta.k8s.io' },
  get('/api/v1/configmaps/one'),
  get('/api/v2'),
  get('/apis/apps/v1beta1'),
  post('/api/v1', {}),
  remove('/version'),
  get('/readyz/nothing'),
  remove(`${LIST_AT}?labelSelector=kind%3Dodd`),
  get(`${LIST_AT}?labelSelector=kind`),
];

const PODS_AT = '/api/v1/namespaces/varied-pods/pods';
const pod = (name: string, more: object = {}) =>
  core('Pod', name, {
    metadata: meta(name, { labels: { app: name } }),
    spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'x:1' }], ...more },
  });
const eviction = (name: string, more: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: meta(name, { namespace: 'varied-pods' }),
  ...more,
});
const binding = (name: string, target: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: meta(name, more),
  target,
});
const PODS: readonly Exchange[] = [
  ...namespace('varied-pods'),
  post(PODS_AT, pod('a')),
  post(PODS_AT, pod('b', { nodeName: 'work-1' })),
  post(`${PODS_AT}/a/binding`, binding('a', { kind: 'Pod' })),
  post(
    `${PODS_AT}/a/binding`,
    binding('a', { name: 'work-2', kind: 'Node' }, { annotations: { by: 'hand' } }),
  ),
  get(`${PODS_AT}/a`),
  post(`${PODS_AT}/a/binding`, binding('a', { name: 'work-1' })),
  post('/api/v1/namespaces/varied-pods/bindings', binding('gone', { name: 'work-1' })),
  merge(`${PODS_AT}/b`, { spec: { nodeName: 'work-2' } }),
  merge(`${PODS_AT}/b/status`, { status: { phase: 'Running', podIP: '10.244.7.7' } }),
  post(`${PODS_AT}/b/eviction`, {}),
  post(`${PODS_AT}/b/eviction`, { ...eviction('b'), kind: 'Pod', apiVersion: 'v1' }),
  post(`${PODS_AT}/b/eviction`, { ...eviction('b'), metadata: meta('b', { namespace: 'default' }) }),
  post(`${PODS_AT}/b/eviction?fieldValidation=Strict`, eviction('b', { reason: 'x' })),
  post(`${PODS_AT}/b/eviction`, eviction('b', { deleteOptions: { gracePeriodSeconds: -3 } })),
  get(`${PODS_AT}/b`),
  operations(`${PODS_AT}/b`, [{ op: 'replace', path: '/metadata/labels/new', value: 'x' }]),
  remove(`${PODS_AT}/b`, { gracePeriodSeconds: 0 }),
  table(PODS_AT),
];

export const VARIED_REQUESTS = {
  'varied options': OPTIONS,
  'varied lists': LISTS,
  'varied pods': PODS,
};
