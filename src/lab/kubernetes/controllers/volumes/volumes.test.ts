import { describe, expect, it } from 'vitest';
import {
  clusterForTests,
  driverObjects,
  MINUTE,
  nodeOf,
  phase,
  SECOND,
} from '../../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { PLAIN_DELETE } from '../../api/options.js';
import { at, type Obj } from '../../json.js';

const cluster = clusterForTests();
const { create, find, pass, start } = cluster;

function installDriver(): void {
  for (const [resource, body] of driverObjects()) create(resource, 'default', body);
}

describe('volumes', () => {
  const volume = (name: string, more: Obj = {}): Obj => ({
    metadata: { name },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      csi: { driver: 'csi.proxmox.sinextra.dev', volumeHandle: `lab/pve-1/zfs/vm-9999-${name}` },
      ...more,
    },
  });
  const claim = (name: string): Obj => ({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      resources: { requests: { storage: '1Gi' } },
    },
  });

  it('are bound to claims, kept when the claim goes, and guarded while used', async () => {
    await pass(MINUTE);
    create('persistentvolumes', undefined, volume('v'));
    await pass(5 * SECOND);
    expect(phase(find('persistentvolumes', 'v'))).toBe('Available');
    create('persistentvolumeclaims', 'default', claim('c'));
    await pass(5 * SECOND);
    expect(phase(find('persistentvolumes', 'v'))).toBe('Bound');
    const bound = find('persistentvolumeclaims', 'c', 'default');
    expect(phase(bound)).toBe('Bound');
    cluster.api.delete(
      { type: cluster.api.type('persistentvolumeclaims'), namespace: 'default', name: 'c', subresource: '' },
      PLAIN_DELETE,
    );
    await pass(5 * SECOND);
    expect(find('persistentvolumeclaims', 'c', 'default')).toBeUndefined();
    expect(phase(find('persistentvolumes', 'v'))).toBe('Released');
  });

  it('hold a pod back while they cannot be attached, and say why', async () => {
    await cluster.lab.close();
    await start({
      csi: {
        attach() {
          throw new Error('disk is used by VM 101');
        },
        detach() {},
      },
    });
    installDriver();
    await pass(MINUTE);
    create('persistentvolumes', undefined, volume('v'));
    create('persistentvolumeclaims', 'default', claim('c'));
    create('pods', 'default', {
      metadata: { name: 'p' },
      spec: {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
        containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    await pass(MINUTE);
    expect(phase(find('pods', 'p', 'default'))).toBe('Pending');
    const [attachment] = cluster.api.objects.list('volumeattachments.storage.k8s.io');
    expect(at(attachment, 'status', 'attachError', 'message')).toBe('disk is used by VM 101');
  });

  it('keep a pod to the nodes their affinity names', async () => {
    installDriver();
    await pass(MINUTE);
    const terms = [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['work-2'] }] },
    ];
    create(
      'persistentvolumes',
      undefined,
      volume('v', { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    );
    create('persistentvolumeclaims', 'default', claim('c'));
    create('pods', 'default', {
      metadata: { name: 'p' },
      spec: {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
        containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    await pass(MINUTE);
    const pod = find('pods', 'p', 'default');
    expect(pod && nodeOf(pod)).toBe('work-2');
    expect(phase(pod)).toBe('Running');
  });

  it('are attached only while the driver runs, on nodes that know it', async () => {
    await pass(MINUTE);
    const csiNode = () => at(find('csinodes.storage.k8s.io', 'work-1'), 'spec', 'drivers');
    expect(csiNode() ?? []).toEqual([]);
    create('persistentvolumes', undefined, volume('v'));
    create('persistentvolumeclaims', 'default', claim('c'));
    create('pods', 'default', {
      metadata: { name: 'p' },
      spec: {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
        containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    await pass(10 * MINUTE);
    expect(phase(find('pods', 'p', 'default'))).toBe('Pending');
    installDriver();
    await pass(2 * MINUTE);
    expect(csiNode()).toMatchObject([{ name: 'csi.proxmox.sinextra.dev', allocatable: { count: 24 } }]);
    expect(phase(find('pods', 'p', 'default'))).toBe('Running');
  });
});
