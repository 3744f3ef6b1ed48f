import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { type KubeObject, managed } from '../../design/kubernetes/managed-object.js';
import { cannotChange, fixedFields } from './fixed-fields.js';

const volume = (volumeAttributes: Record<string, string>, storage = '1Gi'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-1' },
  spec: { capacity: { storage }, csi: { driver: 'd', volumeAttributes } },
});
const fields = (wanted: KubeObject, live: KubeObject) =>
  fixedFields(managed(wanted, 'volumes'), partOf<Parameters<typeof fixedFields>[1]>({ hash: 'x', live }));

describe('fields of a PersistentVolume that Kubernetes never changes', () => {
  it('are named, whether a value comes or goes', () => {
    expect(fields(volume({ backup: 'true' }), volume({}))).toEqual(['spec.csi.volumeAttributes.backup']);
    expect(fields(volume({}), volume({ backup: 'true' }))).toEqual(['spec.csi.volumeAttributes.backup']);
    expect(fields(volume({ ssd: 'true' }), volume({ ssd: 'true' }))).toEqual([]);
  });

  it('leave everything else to the step: its size, and other kinds', () => {
    expect(fields(volume({}), volume({}, '2Gi'))).toEqual([]);
    const named = (backup: string): KubeObject => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      parameters: { backup },
    });
    expect(fields(named('true'), named('false'))).toEqual([]);
  });

  it('come with the way out', () => {
    expect(cannotChange({}, managed(volume({}), 'volumes'), ['spec.csi']).advice).toContain(
      'kubectl delete pv pv-1',
    );
  });
});
