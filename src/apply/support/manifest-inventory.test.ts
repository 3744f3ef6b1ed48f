import { describe, expect, it } from 'vitest';
import { inventoryKey } from './manifest-inventory.js';

describe('a key of the inventory', () => {
  it.each([
    [
      'apps/v1',
      'Deployment',
      { name: 'coredns', namespace: 'kube-system' },
      'kube-system_coredns_apps_Deployment',
    ],
    ['v1', 'Namespace', { name: 'kube-system' }, '_kube-system__Namespace'],
    [
      'rbac.authorization.k8s.io/v1',
      'ClusterRole',
      { name: 'system:coredns' },
      '_system__coredns_rbac.authorization.k8s.io_ClusterRole',
    ],
  ])('of %s %s', (apiVersion, kind, metadata, key) => {
    expect(inventoryKey({ apiVersion, kind, metadata })).toBe(key);
  });
});
