import { describe, expect, it } from 'vitest';
import {
  clusterForTests,
  deployment,
  MINUTE,
  nodeOf,
  phase,
  SECOND,
  TAINT,
} from '../../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { testNode } from '../../../../../test/support/lab/kubernetes/testing.js';
import { PLAIN_DELETE } from '../../api/options.js';
import { at, listOf, objOf } from '../../json.js';
import { controllerOf } from '../../object.js';

const cluster = clusterForTests();
const { create, find, pass, pods, readyStatus, start } = cluster;

describe('nodes', () => {
  it('register, become ready with their network, and lose the taint of new nodes', async () => {
    await pass(MINUTE);
    expect(['cp-1', 'work-1', 'work-2', 'work-3'].map(readyStatus)).toEqual(['True', 'True', 'True', 'True']);
    expect(at(find('nodes', 'work-1'), 'spec', 'taints')).toBeUndefined();
    expect(at(find('nodes', 'cp-1'), 'spec', 'taints')).toEqual([TAINT]);
    expect(at(find('nodes', 'work-1'), 'status', 'nodeInfo', 'kubeletVersion')).toBe('v1.36.0');
  });

  it('stay not ready without a network until Cilium was installed', async () => {
    await cluster.lab.close();
    await start({ cni: 'none' });
    await pass(2 * MINUTE);
    expect(readyStatus('work-1')).toBe('False');
    create('jobs.batch', 'kube-system', {
      metadata: { name: 'cilium-install' },
      spec: {
        template: {
          spec: {
            hostNetwork: true,
            restartPolicy: 'OnFailure',
            tolerations: [{ operator: 'Exists' }],
            containers: [
              {
                name: 'c',
                image: 'quay.io/cilium/cilium-cli:v0.18.9',
                command: ['cilium', 'install', '--version=v1.18.7'],
              },
            ],
          },
        },
      },
    });
    await pass(2 * MINUTE);
    expect(readyStatus('work-1')).toBe('True');
    const agent = find('daemonsets.apps', 'cilium', 'kube-system');
    expect(at(agent, 'status', 'numberReady')).toBe(4);
  });

  it('are given up after forty seconds of silence, and their pods move on after five minutes', async () => {
    await pass(MINUTE);
    create('deployments.apps', 'default', deployment('web', 3));
    await pass(MINUTE);
    cluster.lab.feed.nodeDown('work-1');
    await pass(30 * SECOND);
    expect(readyStatus('work-1')).toBe('True');
    await pass(25 * SECOND);
    expect(readyStatus('work-1')).toBe('Unknown');
    await pass(6 * MINUTE);
    const running = pods('web').filter((pod) => pod.metadata.deletionTimestamp === undefined);
    expect(running.map(nodeOf)).not.toContain('work-1');
    expect(running).toHaveLength(3);
    cluster.lab.feed.nodeUp(testNode('work-1', 51, { bootID: 'next' }));
    await pass(MINUTE);
    expect(readyStatus('work-1')).toBe('True');
  });

  it('do not register again when they are deleted, until they reboot', async () => {
    await pass(MINUTE);
    const type = cluster.api.type('nodes');
    const target = { type, namespace: undefined, name: 'work-3', subresource: '' };
    cluster.api.delete(target, PLAIN_DELETE);
    await pass(5 * MINUTE);
    expect(find('nodes', 'work-3')).toBeUndefined();
    expect(cluster.api.objects.list('pods').some((pod) => nodeOf(pod) === 'work-3')).toBe(false);
    cluster.lab.feed.nodeUp(testNode('work-3', 53, { bootID: 'next' }));
    await pass(MINUTE);
    expect(readyStatus('work-3')).toBe('True');
  });

  it('restart their pods with the machine', async () => {
    await pass(MINUTE);
    create('pods', 'default', {
      metadata: { name: 'p' },
      spec: { nodeName: 'work-1', containers: [{ name: 'c', image: 'x:1' }] },
    });
    await pass(MINUTE);
    cluster.lab.feed.nodeDown('work-1');
    await pass(20 * SECOND);
    cluster.lab.feed.nodeUp(testNode('work-1', 51, { bootID: 'next' }));
    await pass(30 * SECOND);
    const [status] = listOf(at(find('pods', 'p', 'default'), 'status', 'containerStatuses')).map(objOf);
    expect(status).toMatchObject({ ready: true, restartCount: 1 });
  });
});

describe('system pods', () => {
  it('are those of a Talos cluster', async () => {
    await pass(MINUTE);
    const names = cluster.api.objects
      .list('pods', 'kube-system')
      .map((pod) =>
        controllerOf(pod)?.kind === 'Node' ? pod.metadata.name : (pod.metadata.labels?.['k8s-app'] ?? ''),
      );
    expect(new Set(names)).toEqual(
      new Set([
        'kube-dns',
        'kube-apiserver-cp-1',
        'kube-controller-manager-cp-1',
        'flannel',
        'kube-proxy',
        'kube-scheduler-cp-1',
      ]),
    );
    expect(cluster.api.objects.list('pods', 'kube-system').every((pod) => phase(pod) === 'Running')).toBe(
      true,
    );
  });

  it('follow the images of an upgraded control plane', async () => {
    await pass(MINUTE);
    const image = 'registry.k8s.io/kube-apiserver:v1.36.1';
    cluster.lab.feed.nodeUp(
      testNode('cp-1', 41, { controlPlane: true, taints: [TAINT], staticPods: { 'kube-apiserver': image } }),
    );
    await pass(MINUTE);
    const pod = find('pods', 'kube-apiserver-cp-1', 'kube-system');
    expect(objOf(listOf(at(pod, 'spec', 'containers'))[0]).image).toBe(image);
    expect(phase(pod)).toBe('Running');
  });
});
