/** What holds for an object of any built-in kind, whatever one thing in it is wrong. */
import { beforeAll, describe, expect, it } from 'vitest';
import { KubeApi } from '../../src/lab/kubernetes/api/kube-api.js';
import { internalWrite, writeOptions } from '../../src/lab/kubernetes/api/options.js';
import { bootstrapObjects } from '../../src/lab/kubernetes/bootstrap.js';
import { requestInfo } from '../../src/lab/kubernetes/http/request-info.js';
import { objOf } from '../../src/lab/kubernetes/json.js';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
import { ApiError } from '../../src/lab/kubernetes/status.js';
import { ObjectStore } from '../../src/lab/kubernetes/storage/object-store.js';
import { mutatedRequests } from '../support/kubernetes-mutations/requests.js';
import { drivenCore } from '../support/lab/kubernetes/testing.js';

const REQUESTS = mutatedRequests(7, 240).filter(({ method }) => method === 'POST');
const ADMIN = { name: 'admin', groups: ['system:masters'] };

interface Outcome {
  readonly object?: KubeObject;
  readonly refusal?: ApiError;
  readonly warnings: readonly string[];
}

let api: KubeApi;
beforeAll(() => {
  const core = drivenCore();
  api = new KubeApi(new ObjectStore(core.store, 'test'), core.clock, core.random);
  bootstrapObjects(api);
  const account = { metadata: { name: 'default' } };
  api.create(api.type('serviceaccounts'), 'default', account, internalWrite('test'));
});

function create(path: string, body: unknown, validation: 'Strict' | 'Warn' | 'Ignore'): Outcome {
  const { resource, query } = requestInfo('POST', path);
  query.set('fieldValidation', validation);
  const type = resource && api.registry.find(resource.group, resource.version, resource.plural);
  if (!type) throw new Error(`no resource at ${path}`);
  const options = writeOptions({ method: 'POST', query, userAgent: 'test', user: ADMIN });
  try {
    return { object: api.create(type, resource.namespace, body, options), warnings: options.warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refusal: error, warnings: options.warnings };
  }
}

describe('an object with one thing wrong', () => {
  it('is refused by a client error whose message is the sum of its causes', () => {
    let refused = 0;
    for (const { path, body, what } of REQUESTS) {
      const { refusal } = create(path, body, 'Ignore');
      if (!refusal) continue;
      refused += 1;
      expect([400, 403, 422], what).toContain(refusal.code);
      if (refusal.code !== 422) continue;
      const causes = refusal.details?.causes ?? [];
      const texts = causes.map(({ field, message }) => `${field}: ${message}`);
      const said = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
      expect(refusal.message.endsWith(` is invalid: ${said}`), what).toBe(true);
      expect(new Set(texts).size, what).toBe(texts.length);
    }
    expect(refused).toBeGreaterThan(30);
  });

  it('is refused for unknown fields exactly where it would be warned of them', () => {
    let unknown = 0;
    for (const { path, body, what } of REQUESTS) {
      const strict = create(path, body, 'Strict');
      const fields = create(path, body, 'Warn').warnings.filter((text) => text.startsWith('unknown field'));
      const refused = strict.refusal?.message.includes('strict decoding error') ?? false;
      expect(refused, what).toBe(fields.length > 0);
      for (const field of fields) expect(strict.refusal?.message, what).toContain(field);
      unknown += fields.length;
    }
    expect(unknown).toBeGreaterThan(5);
  });

  it('that is taken is taken again in the form that the server gave it', () => {
    let taken = 0;
    for (const { path, body, what } of REQUESTS) {
      const { object } = create(path, body, 'Ignore');
      if (!object) continue;
      taken += 1;
      const again = create(path, object, 'Strict');
      expect(again.refusal?.message, what).toBeUndefined();
      const { spec, data, rules } = objOf(object);
      if (!['Job', 'Pod'].includes(object.kind))
        expect(again.object, what).toMatchObject({ ...without({ spec, data, rules }) });
    }
    expect(taken).toBeGreaterThan(60);
  });

  it('leaves nothing behind in a dry run', () => {
    for (const { path, body } of REQUESTS) create(path, body, 'Ignore');
    const left = REQUESTS.flatMap(({ path }) => {
      const resource = requestInfo('POST', path).resource;
      const type = resource && api.registry.find(resource.group, resource.version, resource.plural);
      return type && api.find(type.plural, resource.namespace, 'fresh') ? [path] : [];
    });
    expect(left).toEqual([]);
  });
});

function without(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
