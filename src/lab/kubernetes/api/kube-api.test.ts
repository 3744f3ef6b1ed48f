import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drivenCore } from '../../../../test/support/lab/kubernetes/testing.js';
import { bootstrapObjects } from '../bootstrap.js';
import { FIELDS } from '../gen/fields.js';
import { patch } from '../http/patch.js';
import { isObj, type Obj, objOf } from '../json.js';
import { BUILT_IN_TYPES } from '../kinds/built-in-kinds.js';
import type { ResourceType } from '../kinds/resource-type.js';
import { resourceKey } from '../kinds/resource-type.js';
import { ApiError } from '../status.js';
import { ObjectStore } from '../storage/object-store.js';
import { KubeApi, type Target } from './kube-api.js';
import { internalWrite, PLAIN_DELETE } from './options.js';

function newApi(): KubeApi {
  const core = drivenCore();
  const api = new KubeApi(new ObjectStore(core.store, 'test'), core.clock, core.random);
  bootstrapObjects(api);
  api.create(
    api.type('serviceaccounts'),
    'default',
    { metadata: { name: 'default' } },
    internalWrite('test'),
  );
  return api;
}

const names = [
  ...new Set(
    Object.values(FIELDS).flatMap((text) => text.split(' ').map((field) => field.split(/[!:]/)[0] ?? '')),
  ),
];
const leaf = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('1Gi'),
);
/** JSON made of the fields of real kinds, in any wrong place. */
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
}));
const body = fc
  .record({ spec: json.value, status: json.value, extra: json.object })
  .map(({ extra, ...rest }) => ({
    ...objOf(extra),
    ...rest,
    metadata: { name: 'x' },
  }));
const types = fc.constantFrom(...BUILT_IN_TYPES);

function refusedOrDone(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function targetOf(type: ResourceType, subresource = ''): Target {
  return { type, namespace: type.namespaced ? 'default' : undefined, name: 'x', subresource };
}

describe('any body', () => {
  it('is taken or refused with a Status, and what is stored is stable', () => {
    const api = newApi();
    fc.assert(
      fc.property(types, body, (type, given) => {
        const target = targetOf(type);
        refusedOrDone(() => api.create(type, target.namespace, given, internalWrite('a')));
        const stored = api.find(resourceKey(type), target.namespace, 'x');
        if (!stored) return;
        // Writing back what was read changes nothing.
        api.update(target, structuredClone(stored), internalWrite('b'));
        const again = api.find(resourceKey(type), target.namespace, 'x');
        expect(again?.metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
        refusedOrDone(() => api.delete(target, { ...PLAIN_DELETE, gracePeriodSeconds: 0 }));
      }),
      { numRuns: 400 },
    );
  });

  it('can be a patch of any kind', () => {
    const api = newApi();
    const media = fc.constantFrom(
      'merge-patch+json',
      'strategic-merge-patch+json',
      'json-patch+json',
      'apply-patch+yaml',
    );
    for (const key of ['configmaps', 'nodes', 'secrets']) {
      const type = api.type(key);
      api.create(
        type,
        type.namespaced ? 'default' : undefined,
        { metadata: { name: 'x' } },
        internalWrite('a'),
      );
    }
    fc.assert(
      fc.property(
        fc.constantFrom('configmaps', 'nodes', 'secrets'),
        media,
        body,
        fc.boolean(),
        (key, kind, given, status) => {
          const target = targetOf(api.type(key), status && key === 'nodes' ? 'status' : '');
          refusedOrDone(() =>
            patch(api, target, `application/${kind}`, JSON.stringify(given), {
              ...internalWrite('x'),
              validation: 'Warn',
            }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('custom kinds', () => {
  const definition: Obj = {
    metadata: { name: 'things.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
              // As in definitions of Argo CD and Cilium.
              required: ['metadata', 'spec'],
            },
          },
        },
      ],
    },
  };

  it('come with their definition and go with it', () => {
    const api = newApi();
    const definitions = api.type('customresourcedefinitions.apiextensions.k8s.io');
    api.create(definitions, undefined, definition, internalWrite('test'));
    const things = api.type('things.example.org');
    const made = api.create(
      things,
      undefined,
      { metadata: { name: 'x' }, spec: { anything: [1] } },
      internalWrite('test'),
    );
    expect(isObj(made.spec) && made.spec.anything).toEqual([1]);
    api.delete(
      { type: definitions, namespace: undefined, name: 'things.example.org', subresource: '' },
      PLAIN_DELETE,
    );
    expect(api.registry.byKey('things.example.org')).toBeUndefined();
    api.create(definitions, undefined, definition, internalWrite('test'));
    expect(api.objects.list('things.example.org')).toEqual([]);
  });
});
