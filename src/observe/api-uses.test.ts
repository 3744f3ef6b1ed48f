import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../clients/kubernetes/errors.js';
import { objectsServedAs } from './api-uses.js';

const SERVED = 'flowcontrol.apiserver.k8s.io/v1beta3';

function cluster(code: 'kubernetes.not-found' | 'kubernetes.forbidden') {
  return {
    async resourceOf(apiVersion: string, kind: string) {
      if (apiVersion === SERVED && kind === 'FlowSchema')
        return { apiVersion, kind, plural: 'flowschemas', namespaced: false };
      throw new KubernetesError(code, `the cluster has no kind ${kind} in ${apiVersion}`);
    },
    list: async <T>() => [{ metadata: { name: 'mine' } }] as T[],
  };
}

describe('objects by API version', () => {
  const asked = [
    { apiVersion: SERVED, kind: 'FlowSchema' },
    { apiVersion: 'networking.k8s.io/v1beta1', kind: 'ServiceCIDR' },
  ];

  it('are those of the versions that are served, each with its kind', async () => {
    expect(await objectsServedAs(cluster('kubernetes.not-found'), asked)).toEqual([
      { apiVersion: SERVED, kind: 'FlowSchema', metadata: { name: 'mine' } },
    ]);
  });

  it('are unknown where the cluster does not let us look', async () => {
    await expect(objectsServedAs(cluster('kubernetes.forbidden'), asked)).rejects.toThrow(/ServiceCIDR/);
  });
});
