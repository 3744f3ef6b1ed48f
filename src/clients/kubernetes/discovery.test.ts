import { expect, it } from 'vitest';
import { listableResources } from './discovery.js';
import { errorFromAnswer } from './errors.js';

it('finds every resource once, those that the preferred version of a group lacks among them', async () => {
  const resource = (name: string, verbs = ['list']) => ({ name, kind: name, namespaced: true, verbs });
  const version = (groupVersion: string) => ({ groupVersion });
  const answers: Record<string, unknown> = {
    '/api/v1': { resources: [resource('pods'), resource('pods/log'), resource('bindings', ['create'])] },
    '/apis': {
      groups: [
        { preferredVersion: version('a.io/v2'), versions: [version('a.io/v2'), version('a.io/v2alpha1')] },
        { preferredVersion: version('b.io/v1') },
      ],
    },
    '/apis/a.io/v2': { resources: [resource('pools'), resource('rules')] },
    '/apis/a.io/v2alpha1': { resources: [resource('pools'), resource('policies')] },
    '/apis/b.io/v1': { resources: [resource('pools')] },
  };
  const found = await listableResources(async ({ path }) => answers[path]);
  expect(found.map(({ apiVersion, plural }) => `${apiVersion} ${plural}`)).toEqual([
    'v1 pods',
    'a.io/v2 pools',
    'a.io/v2 rules',
    'a.io/v2alpha1 policies',
    'b.io/v1 pools',
  ]);
});

it('goes on without a group whose server is down, and fails where the API server itself does', async () => {
  const down = new Set(['/apis/metrics.k8s.io/v1beta1']);
  const send = async ({ path }: { readonly path: string }) => {
    if (down.has(path)) throw errorFromAnswer(503, 'service unavailable', path, 'discovering resources');
    if (path === '/apis')
      return { groups: [{ preferredVersion: { groupVersion: 'metrics.k8s.io/v1beta1' } }] };
    return { resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'] }] };
  };
  expect((await listableResources(send)).map(({ apiVersion }) => apiVersion)).toEqual(['v1']);
  down.add('/api/v1');
  await expect(listableResources(send)).rejects.toThrow('service unavailable');
});
