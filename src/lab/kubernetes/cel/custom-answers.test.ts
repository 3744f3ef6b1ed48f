import { beforeAll, describe, expect, it } from 'vitest';
import { recordedCustom } from '../../../../test/support/kubernetes/custom-answers.js';
import type { CustomExchange } from '../../../../test/support/kubernetes/custom-exchanges.js';
import { drivenCore } from '../../../../test/support/lab/kubernetes/testing.js';
import { KubeApi } from '../api/kube-api.js';
import { deleteOptions, internalWrite, writeOptions } from '../api/options.js';
import { bootstrapObjects } from '../bootstrap.js';
import { patch } from '../http/patch.js';
import { requestInfo } from '../http/request-info.js';
import { ApiError } from '../status.js';
import { ObjectStore } from '../storage/object-store.js';
import { prepareRules } from './engine.js';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

function newApi(): KubeApi {
  const core = drivenCore();
  const api = new KubeApi(new ObjectStore(core.store, 'test'), core.clock, core.random);
  bootstrapObjects(api);
  return api;
}

/** One request without HTTP. */
function send(api: KubeApi, { method, path, body, type: mediaType = '' }: CustomExchange) {
  const { resource, query } = requestInfo(method, path);
  const options = writeOptions({ method: 'POST', query, userAgent: 'test', user: ADMIN });
  const answer = (status: number, said: string) => {
    const texts = [...new Set(options.warnings)].map((text) => `299 - "${text.replace(/["\\]/g, '\\$&')}"`);
    return { status, said, ...(texts.length > 0 ? { warnings: texts.join(', ') } : {}) };
  };
  try {
    const type = resource && api.registry.find(resource.group, resource.version, resource.plural);
    if (!resource || !type) throw new Error(`no resource at ${path}`);
    const target = { type, namespace: resource.namespace, name: resource.name ?? '', subresource: '' };
    if (method === 'POST') return answer(201, api.create(type, resource.namespace, body, options).kind);
    if (method === 'DELETE') {
      const { gone, object } = api.delete(target, deleteOptions({}, query), options);
      return answer(200, gone ? 'Status' : object.kind);
    }
    return answer(200, patch(api, target, mediaType, JSON.stringify(body), options).object.kind);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return answer(error.code, error.message);
  }
}

beforeAll(prepareRules);

describe('custom resources, pod security and policies answer as the real API server', () => {
  it.each(['rules', 'objects', 'pod security', 'policy forms,policy checks'])('%s', (subjects) => {
    const api = newApi();
    api.create(
      api.type('serviceaccounts'),
      'default',
      { metadata: { name: 'default' } },
      internalWrite('test'),
    );
    const recorded = subjects.split(',').flatMap(recordedCustom);
    expect(recorded.length).toBeGreaterThan(30);
    for (const { asked, answer } of recorded) {
      const got = send(api, asked);
      // The account is a controller's work.
      if (asked.path.endsWith('/serviceaccounts')) continue;
      expect(got, JSON.stringify(asked.body)).toEqual(answer);
    }
  });
});
