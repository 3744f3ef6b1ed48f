import { describe, expect, it } from 'vitest';
import { drivenCore } from '../../../../test/support/lab/kubernetes/testing.js';
import { KubeApi } from '../api/kube-api.js';
import { internalWrite } from '../api/options.js';
import { bootstrapObjects } from '../bootstrap.js';
import { ApiError } from '../status.js';
import { ObjectStore } from '../storage/object-store.js';
import type { User } from './authenticate.js';
import { authorize } from './authorize.js';
import { listPage } from './list.js';
import { negotiate } from './negotiate.js';
import { requestInfo } from './request-info.js';

function newApi(): KubeApi {
  const core = drivenCore();
  const api = new KubeApi(new ObjectStore(core.store, 'test'), core.clock, core.random);
  bootstrapObjects(api);
  return api;
}

describe('paths', () => {
  it.each([
    ['GET', '/api/v1/nodes', { plural: 'nodes', verb: 'list' }],
    ['GET', '/api/v1/nodes?watch=true', { plural: 'nodes', verb: 'watch' }],
    ['GET', '/api/v1/namespaces/x', { plural: 'namespaces', name: 'x', verb: 'get' }],
    ['PUT', '/api/v1/namespaces/x/finalize', { plural: 'namespaces', name: 'x', subresource: 'finalize' }],
    ['POST', '/api/v1/namespaces/x/pods', { plural: 'pods', namespace: 'x', verb: 'create' }],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', { group: 'apps', verb: 'deletecollection' }],
    ['POST', '/api/v1/namespaces/x/pods/p/eviction', { name: 'p', subresource: 'eviction', verb: 'create' }],
    ['GET', '/api/v1/watch/nodes', { plural: 'nodes', verb: 'watch' }],
  ])('%s %s', (method, url, wanted) => {
    expect(requestInfo(method, url).resource).toMatchObject(wanted);
  });

  it.each(['/apis', '/api/v1', '/healthz', '/apis/apps/v1'])('%s is no resource', (path) => {
    expect(requestInfo('GET', path).resource).toBeUndefined();
  });
});

describe('what a client accepts', () => {
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';
  const table = (type: string) => `${type};as=Table;v=v1;g=meta.k8s.io`;

  it('is taken in its order', () => {
    expect(negotiate(`${PROTOBUF},application/json`)).toEqual({ as: 'object', format: 'protobuf' });
    expect(negotiate(`${PROTOBUF};q=0.1,application/json;q=0.9`)).toEqual({ as: 'object', format: 'json' });
    expect(negotiate('application/yaml')).toEqual({ as: 'object', format: 'yaml' });
    expect(negotiate(undefined)).toEqual({ as: 'object', format: 'json' });
    expect(() => negotiate('text/html')).toThrow(ApiError);
  });

  it('is skipped where a kind or a form has no protobuf', () => {
    expect(negotiate(`${table(PROTOBUF)},${table('application/json')}`)).toEqual({
      as: 'table',
      format: 'json',
      version: 'v1',
    });
    const custom = { custom: true, verb: 'get' };
    expect(negotiate(`${PROTOBUF},application/json`, custom)).toEqual({ as: 'object', format: 'json' });
    expect(() => negotiate(PROTOBUF, custom)).toThrow(/^only the following media types are accepted/);
    expect(() => negotiate('application/yaml', { custom: false, verb: 'watch' })).toThrow(/stream=watch$/);
  });
});

describe('rights', () => {
  const api = newApi();
  const eve: User = { name: 'eve', groups: ['system:authenticated'] };
  const RBAC = 'rbac.authorization.k8s.io';
  api.create(
    api.type(`roles.${RBAC}`),
    'default',
    {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods', 'pods/log'], resourceNames: ['p'], verbs: ['get'] }],
    },
    internalWrite('test'),
  );
  api.create(
    api.type(`rolebindings.${RBAC}`),
    'default',
    {
      metadata: { name: 'reader' },
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'eve' }],
    },
    internalWrite('test'),
  );
  const may = (user: User, method: string, path: string) => {
    try {
      authorize(user, requestInfo(method, path), api.objects);
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['GET', '/api/v1/namespaces/default/pods/p', true],
    ['GET', '/api/v1/namespaces/default/pods/p/log', true],
    ['GET', '/api/v1/namespaces/default/pods/q', false],
    ['GET', '/api/v1/namespaces/default/pods', false],
    ['GET', '/api/v1/namespaces/kube-system/pods/p', false],
    ['DELETE', '/api/v1/namespaces/default/pods/p', false],
    ['GET', '/apis/apps/v1', true],
    ['GET', '/readyz', true],
    ['GET', '/metrics', false],
  ])('eve may %s %s: %s', (method, path, allowed) => {
    expect(may(eve, method, path)).toBe(allowed);
  });

  it('system:masters may everything', () => {
    expect(may({ name: 'root', groups: ['system:masters'] }, 'DELETE', '/api/v1/nodes/x')).toBe(true);
  });
});

describe('pages', () => {
  it('show one state, whatever changes in between, and every object once', () => {
    const api = newApi();
    const type = api.type('configmaps');
    const make = (name: string) => api.create(type, 'default', { metadata: { name } }, internalWrite('test'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) make(name);
    const seen: string[] = [];
    let next = '';
    do {
      const query = new URLSearchParams({ limit: '2', ...(next === '' ? {} : { continue: next }) });
      const page = listPage(api, type, 'default', query);
      seen.push(...page.items.map((item) => item.metadata.name));
      next = page.metadata.continue ?? '';
      make(`c${seen.length}`);
      api.objects.remove('configmaps', 'default', 'd');
    } while (next !== '');
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
