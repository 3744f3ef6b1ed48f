/** Changes of objects in all the ways there are, and custom kinds with everything that a definition can say. */
import {
  apply,
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
  strategic,
} from './requests.js';

const NODE = '/api/v1/nodes/varied';
const PATCHES: readonly Exchange[] = [
  post('/api/v1/nodes', core('Node', 'varied', { metadata: meta('varied', { labels: { a: '1' } }) })),
  strategic(NODE, { $patch: 'shuffle' }),
  strategic(NODE, { metadata: { labels: { $patch: 'replace', only: 'this' } } }),
  strategic(NODE, { metadata: { finalizers: ['example.com/a'] } }),
  strategic(NODE, { metadata: { finalizers: ['example.com/b'] } }),
  strategic(NODE, {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/b'] },
  }),
  strategic(NODE, { status: { phase: 'Running' } }),
  strategic(`${NODE}/status`, { status: { conditions: [{ status: 'True' }] } }),
  strategic(`${NODE}/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
  strategic(NODE, []),
  merge(NODE, null),
  merge(NODE, 'text'),
  merge(NODE, { kind: 'Pod' }),
  merge(NODE, { apiVersion: 'v7' }),
  merge(NODE, { metadata: { uid: 'mine' } }),
  merge(NODE, { metadata: { finalizers: ['not qualified'] } }),
  merge(NODE, { spec: { externalID: 'x' } }),
  operations(NODE, { op: 'add' }),
  operations(NODE, [{ op: 'copy', from: '/metadata/labels/none', path: '/metadata/labels/copy' }]),
  operations(NODE, [{ op: 'replace', path: '/metadata/labels/more', value: 'x' }]),
  operations(NODE, [{ op: 'remove', path: '/metadata/labels/none' }]),
  operations(NODE, [{ op: 'move', from: '/metadata/labels/none', path: '/metadata/labels/moved' }]),
  get(NODE),
  remove(NODE),
];

const APPLIED = '/api/v1/namespaces/default/configmaps/varied';
const applied = (data: unknown, more: object = {}) => ({ ...configMap('varied', data), ...more });
const APPLIES: readonly Exchange[] = [
  apply(`${APPLIED}?fieldManager=one`, applied({ a: '1', b: '2' })),
  apply(`${APPLIED}?fieldManager=two`, applied({ a: '2', c: '3' })),
  apply(`${APPLIED}?fieldManager=two&force=1`, applied({ a: '2', c: '3' })),
  merge(`${APPLIED}?fieldManager=hand`, { data: { b: '4' } }),
  apply(`${APPLIED}?fieldManager=one`, applied({ b: '2' })),
  apply(`${APPLIED}?fieldManager=one`, applied({ a: 1 })),
  apply(`${APPLIED}?fieldManager=one`, applied('text')),
  apply(`${APPLIED}?fieldManager=one`, applied({}, { kind: 'Secret' })),
  apply(`${APPLIED}?fieldManager=one`, applied({}, { apiVersion: '' })),
  apply(`${APPLIED}?fieldManager=one`, applied({}, { metadata: meta('varied', { uid: 'mine' }) })),
  apply(`${APPLIED}-new?fieldManager=one`, {
    ...configMap('varied-new', {}),
    metadata: meta('varied-new', { uid: 'mine' }),
  }),
  apply(`${APPLIED}?fieldManager=one`, 'text'),
  merge(APPLIED, { metadata: { managedFields: [] } }),
  apply(`${APPLIED}?fieldManager=late`, applied({ a: 'mine' })),
  get(APPLIED),
  remove(APPLIED),
];

const WORK = '/apis/apps/v1/namespaces/default/deployments';
const template = {
  metadata: { labels: { varied: 'x' } },
  spec: { containers: [{ name: 'c', image: 'x:1' }] },
};
const scale = (replicas: number, name = 'varied') => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: meta(name),
  spec: { replicas },
});
const SCALES: readonly Exchange[] = [
  post(WORK, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('varied'),
    spec: { selector: { matchLabels: { varied: 'x' } }, template },
  }),
  put(`${WORK}/varied/scale?fieldManager=hand`, scale(3)),
  put(`${WORK}/varied/scale`, scale(-3)),
  put(`${WORK}/varied/scale`, scale(3, 'other')),
  operations(`${WORK}/varied/scale?fieldManager=hand`, [{ op: 'replace', path: '/spec/replicas', value: 1 }]),
  strategic(`${WORK}/varied/scale?fieldManager=hand`, { spec: { replicas: 2 } }),
  apply(`${WORK}/varied/scale?fieldManager=scaler`, scale(5)),
  apply(`${WORK}/varied/scale?fieldManager=scaler&force=true`, scale(5)),
  merge(`${WORK}/varied/status`, { status: { replicas: 1, readyReplicas: 2 } }),
  strategic(`${WORK}/varied`, { spec: { template: { spec: { containers: [{ image: 'y' }] } } } }),
  remove(`${WORK}/varied`),
  put('/apis/coordination.k8s.io/v1/namespaces/default/leases/varied', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: meta('varied'),
    spec: { holderIdentity: 'x' },
  }),
  put('/api/v1/namespaces/default/secrets/varied', core('Secret', 'varied')),
  remove('/apis/coordination.k8s.io/v1/namespaces/default/leases/varied'),
];

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = (plural: string, schema: object, more: object = {}, spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: meta(`${plural}.varied.example`),
  spec: {
    group: 'varied.example',
    scope: 'Namespaced',
    names: { plural, kind: `Kind${plural}` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    ...spec,
  },
});
const plain = { type: 'object' };
const properties = (fields: object) => ({ type: 'object', properties: fields });
const WRONG_DEFINITIONS: readonly Exchange[] = [
  post(DEFINITIONS, definition('a', properties({ x: {} }))),
  post(DEFINITIONS, definition('a', properties({ x: { type: 'text' } }))),
  post(DEFINITIONS, definition('a', properties({ x: { type: 'integer', default: 'one' } }))),
  post(DEFINITIONS, definition('a', properties({ x: { type: 'array' } }))),
  post(
    DEFINITIONS,
    definition('a', properties({ x: { type: 'array', items: plain, 'x-kubernetes-list-type': 'map' } })),
  ),
  post(DEFINITIONS, definition('a', properties({ metadata: properties({ labels: plain }) }))),
  post(DEFINITIONS, definition('a', plain, {}, { scope: 'Everywhere' })),
  post(DEFINITIONS, definition('a', plain, {}, { group: 'varied' })),
  post(DEFINITIONS, definition('a', plain, {}, { preserveUnknownFields: true })),
  post(DEFINITIONS, definition('a', plain, {}, { conversion: { strategy: 'Magic' } })),
  post(DEFINITIONS, definition('a', plain, {}, { names: { plural: 'a', kind: 'no kind' } })),
  post(DEFINITIONS, definition('a', plain, { storage: false })),
  post(DEFINITIONS, definition('a', plain, { name: 'V1' })),
  post(
    DEFINITIONS,
    definition('a', plain, { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: 'y' } } }),
  ),
  post(
    DEFINITIONS,
    definition('a', plain, { additionalPrinterColumns: [{ name: 'X', type: 'text', jsonPath: 'x' }] }),
  ),
];

export const VARIED_CHANGES = {
  'varied patches': PATCHES,
  'varied applies': APPLIES,
  'varied scales': SCALES,
  'varied definitions': WRONG_DEFINITIONS,
};
