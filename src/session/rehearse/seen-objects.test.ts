import { describe, expect, it } from 'vitest';
import { managed, refKey } from '../../design/kubernetes/managed-object.js';
import { type SeenObject, withoutValues, withTexts } from './seen-objects.js';

const containers = (arg: string) => [
  { name: 'driver', args: ['-v=5', arg], env: [{ name: 'A', value: 'b' }] },
];
const template = (arg: string, labels = {}) => ({
  metadata: { labels },
  spec: { containers: containers(arg) },
});
const ours = managed(
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'driver', namespace: 'csi' },
    spec: { template: template('--mine') },
  },
  'kubernetes.csi',
);
/** As the server has it: with fields of its own. */
const live: SeenObject = {
  ...ours.object,
  metadata: { ...ours.object.metadata, ...{ uid: 'u1' } },
  spec: { template: template('--mine'), progressDeadlineSeconds: 600 },
};
const owned = (name: string, arg: string): SeenObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, ...{ ownerReferences: [{ uid: 'u1' }] } },
  spec: { template: template(arg, { 'pod-template-hash': name }) },
});
const saved = (...objects: SeenObject[]) => ({ all: objects.map(withoutValues) });

describe('texts of oxherd’s own objects', () => {
  it('come back from the config, in what their controllers have kept of them too', () => {
    const objects = saved(live, owned('new', '--mine'));
    expect(JSON.stringify(objects)).not.toContain('--mine');
    expect(withTexts(objects, [ours])).toEqual({ all: [live, owned('new', '--mine')] });
  });

  it('stay away where someone has changed the object, and from objects of others', () => {
    const objects = saved(live);
    expect(withTexts(objects, [ours], [refKey(ours.ref)])).toEqual(objects);
    const other = saved({ ...live, metadata: { name: 'other', namespace: 'csi' } });
    expect(withTexts(other, [ours])).toEqual(other);
  });

  it('are those of a custom resource and of a config map', () => {
    const pool = managed(
      { apiVersion: 'cilium.io/v2', kind: 'Pool', metadata: { name: 'p' }, spec: { blocks: ['10.0.0.0/8'] } },
      'kubernetes.loadBalancer',
    );
    const map = managed(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'n' }, data: { a: 'text' } },
      'kubernetes.gitops',
    );
    const objects = [pool.object, map.object];
    expect(withTexts(saved(...objects), [pool, map])).toEqual({ all: objects });
  });
});
