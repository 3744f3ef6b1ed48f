import { describe, expect, it } from 'vitest';
import { alikeOf } from './observe-gates.js';

const SERVED = [
  { apiVersion: 'v1', plural: 'configmaps' },
  { apiVersion: 'apps/v1', plural: 'deployments' },
  { apiVersion: 'longhorn.io/v1beta3', plural: 'volumes' },
  { apiVersion: 'longhorn.io/v1beta3', plural: 'replicas' },
];

describe('what was probably meant by a resource that is not served', () => {
  it.each([
    ['another version', 'longhorn.io/v1beta2', 'volumes', ['volumes.longhorn.io/v1beta3']],
    ['a typo of the plural', 'longhorn.io/v1beta3', 'volume', ['volumes.longhorn.io/v1beta3']],
    ['a typo of the group', 'longhorn.oi/v1beta3', 'volumes', ['volumes.longhorn.io/v1beta3']],
    ['a typo in the core API', 'v1', 'configmap', ['configmaps']],
    ['nothing alike', 'ceph.rook.io/v1', 'cephclusters', []],
  ])('%s', (_, apiVersion, plural, alike) => {
    expect(alikeOf({ apiVersion, plural }, SERVED)).toEqual(alike);
  });
});
