import { core, type Exchange, get, meta, NS, post, remove } from './requests.js';

const coordination = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const lease = (name: string, spec: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: meta(name),
  spec,
});
const LEASES: readonly Exchange[] = [
  post(coordination, lease('good', { holderIdentity: 'a', leaseDurationSeconds: 15 })),
  post(coordination, lease('short', { leaseDurationSeconds: 0 })),
  post(coordination, lease('back', { leaseDurationSeconds: 1, leaseTransitions: -1 })),
  post(coordination, lease('time', { renewTime: 'yesterday' })),
  post(coordination, lease('empty', { holderIdentity: '' })),
  post(coordination, lease('strategy', { strategy: 'OldestEmulationVersion' })),
  post(coordination, lease('strategy', { strategy: 'a b', preferredHolder: 'x' })),
];

const event = (name: string, more: object) =>
  core('Event', name, { involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' }, ...more });
const newEvents = '/apis/events.k8s.io/v1/namespaces/default/events';
const newEvent = (name: string, more: object) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: meta(name),
  regarding: { kind: 'Pod', name: 'x', namespace: 'default' },
  eventTime: '2026-01-02T03:04:05.000006Z',
  reportingController: 'example.com/a',
  reportingInstance: 'a-1',
  action: 'Eat',
  reason: 'Hungry',
  type: 'Normal',
  ...more,
});
const EVENTS: readonly Exchange[] = [
  post(`${NS}/events`, event('good', { reason: 'R', message: 'm', type: 'Normal' })),
  post(`${NS}/events`, event('elsewhere', { involvedObject: { kind: 'Pod', namespace: 'kube-system' } })),
  post(`${NS}/events`, event('node', { involvedObject: { kind: 'Node', name: 'n' } })),
  post(newEvents, newEvent('new', {})),
  post(newEvents, newEvent('no-time', { eventTime: null })),
  post(newEvents, newEvent('no-action', { action: '' })),
  post(newEvents, newEvent('no-reason', { reason: '' })),
  post(newEvents, newEvent('type', { type: 'Odd' })),
  post(newEvents, newEvent('controller', { reportingController: 'a b' })),
  post(newEvents, newEvent('long', { note: 'x'.repeat(1025) })),
  get(`${NS}/events/new`),
  get(`${newEvents}/good`),
];

const quota = (name: string, hard: object, more: object = {}) =>
  core('ResourceQuota', name, { spec: { hard, ...more } });
const range = (name: string, ...limits: readonly object[]) => core('LimitRange', name, { spec: { limits } });
const LIMITS: readonly Exchange[] = [
  post(`${NS}/resourcequotas`, quota('good', { pods: '100', 'requests.cpu': '20' })),
  post(`${NS}/resourcequotas`, quota('unknown', { apples: '1' })),
  post(`${NS}/resourcequotas`, quota('own', { 'example.com/apples': '1' })),
  post(`${NS}/resourcequotas`, quota('negative', { pods: '-1' })),
  post(`${NS}/resourcequotas`, quota('half', { pods: '500m' })),
  post(`${NS}/resourcequotas`, quota('scope', { pods: '1' }, { scopes: ['Nowhere'] })),
  post(`${NS}/resourcequotas`, quota('scopes', { pods: '1' }, { scopes: ['Terminating', 'NotTerminating'] })),
  post(`${NS}/limitranges`, range('good', { type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } })),
  post(`${NS}/limitranges`, range('order', { type: 'Container', min: { cpu: '3' }, max: { cpu: '2' } })),
  post(
    `${NS}/limitranges`,
    range('default', { type: 'Container', default: { cpu: '3' }, max: { cpu: '2' } }),
  ),
  post(`${NS}/limitranges`, range('twice', { type: 'Container' }, { type: 'Container' })),
  post(`${NS}/limitranges`, range('pod', { type: 'Pod', default: { cpu: '1' } })),
  post(`${NS}/limitranges`, range('claim', { type: 'PersistentVolumeClaim', max: { cpu: '1' } })),
  remove(`${NS}/limitranges/good`),
  remove(`${NS}/resourcequotas/good`),
];

const scaling = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const autoscaler = (name: string, spec: object) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: meta(name),
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }, maxReplicas: 3, ...spec },
});
const cpu = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } });
const AUTOSCALERS: readonly Exchange[] = [
  post(scaling, autoscaler('good', {})),
  get('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/good'),
  post(scaling, autoscaler('cpu', { metrics: [cpu({ type: 'Utilization', averageUtilization: 50 })] })),
  get('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/cpu'),
  post(scaling, autoscaler('order', { minReplicas: 4 })),
  post(scaling, autoscaler('zero', { minReplicas: 0 })),
  post(scaling, autoscaler('max', { maxReplicas: 0 })),
  post(scaling, autoscaler('metric', { metrics: [{ type: 'Resource' }] })),
  post(scaling, autoscaler('metric', { metrics: [cpu({ type: 'Utilization' })] })),
  post(scaling, autoscaler('metric', { metrics: [{ type: 'Odd' }] })),
  post(scaling, autoscaler('ref', { scaleTargetRef: { kind: '', name: '' } })),
];

const reviews = '/apis/authorization.k8s.io/v1';
const access = (kind: string, spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
const REVIEWS: readonly Exchange[] = [
  post(
    `${reviews}/selfsubjectaccessreviews`,
    access('SelfSubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'pods' } }),
  ),
  post(`${reviews}/selfsubjectaccessreviews`, access('SelfSubjectAccessReview', {})),
  post(
    `${reviews}/subjectaccessreviews`,
    access('SubjectAccessReview', {
      user: 'jane',
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' },
    }),
  ),
  post(
    `${reviews}/subjectaccessreviews`,
    access('SubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'pods' } }),
  ),
  post(
    `${reviews}/subjectaccessreviews`,
    access('SubjectAccessReview', { user: 'jane', nonResourceAttributes: { path: '/healthz', verb: 'get' } }),
  ),
  post(
    `${reviews}/subjectaccessreviews`,
    access('SubjectAccessReview', {
      user: 'system:kube-scheduler',
      resourceAttributes: { verb: 'create', resource: 'pods', subresource: 'binding' },
    }),
  ),
  post(
    `${reviews}/namespaces/default/localsubjectaccessreviews`,
    access('LocalSubjectAccessReview', {
      user: 'jane',
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'other' },
    }),
  ),
  post(`${reviews}/selfsubjectrulesreviews`, access('SelfSubjectRulesReview', {})),
  post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  }),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'x' },
  }),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: {},
  }),
  get('/apis/authentication.k8s.io/v1/tokenreviews'),
  post(`${NS}/serviceaccounts/missing/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  }),
  post(`${NS}/serviceaccounts/default/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 5 },
  }),
];

export const RECORDS = {
  leases: LEASES,
  events: EVENTS,
  limits: LIMITS,
  autoscalers: AUTOSCALERS,
  reviews: REVIEWS,
};
