import { describe, expect, it } from 'vitest';
import {
  clusterForTests,
  deployment,
  driverObjects,
  MINUTE,
  nodeOf,
  phase,
  SECOND,
  template,
} from '../../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { internalWrite } from '../../api/options.js';
import { at, listOf, objOf } from '../../json.js';
import { conditionOf } from '../world.js';

const cluster = clusterForTests();
const { create, find, pass, pods } = cluster;

describe('workloads', () => {
  it('keep away from cordoned nodes and control planes', async () => {
    await pass(MINUTE);
    const node = find('nodes', 'work-2');
    if (!node) throw new Error('no node');
    cluster.api.objects.put('nodes', { ...node, spec: { ...objOf(node.spec), unschedulable: true } });
    create('deployments.apps', 'default', deployment('web', 4));
    await pass(MINUTE);
    expect(new Set(pods('web').map(nodeOf))).toEqual(new Set(['work-1', 'work-3']));
  });

  it('say why a pod has no node', async () => {
    await pass(MINUTE);
    create('deployments.apps', 'default', deployment('web', 1, { nodeSelector: { disk: 'ssd' } }));
    await pass(MINUTE);
    const [pod] = pods('web');
    expect(pod && conditionOf(pod, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 node(s) didn't match Pod's node affinity/selector.",
    });
  });

  it('roll over to a new image and stay available', async () => {
    await pass(MINUTE);
    create('deployments.apps', 'default', deployment('web', 4));
    await pass(MINUTE);
    const old = find('deployments.apps', 'web', 'default');
    if (!old) throw new Error('no deployment');
    // The revision that its controller notes is no change of it (recording controllers-deployment).
    expect(old.metadata).toMatchObject({
      generation: 1,
      annotations: { 'deployment.kubernetes.io/revision': '1' },
    });
    const spec = objOf(old.spec);
    const next = { ...spec, template: template('web', { containers: [{ name: 'c', image: 'x:2' }] }) };
    const target = {
      type: cluster.api.type('deployments.apps'),
      namespace: 'default',
      name: 'web',
      subresource: '',
    };
    cluster.api.replace(target, old, { ...old, spec: next }, internalWrite('test'));
    let least = 4;
    for (let step = 0; step < 60; step += 1) {
      await pass(SECOND);
      least = Math.min(
        least,
        pods('web').filter((pod) => conditionOf(pod, 'Ready')?.status === 'True').length,
      );
    }
    expect(least).toBeGreaterThanOrEqual(3);
    const images = pods('web').map((pod) => objOf(listOf(at(pod, 'spec', 'containers'))[0]).image);
    expect(images).toEqual(['x:2', 'x:2', 'x:2', 'x:2']);
  });

  it('crash in a loop where their command fails', async () => {
    await pass(MINUTE);
    create(
      'deployments.apps',
      'default',
      deployment('bad', 1, { containers: [{ name: 'c', image: 'x:1', command: ['/bin/false'] }] }),
    );
    await pass(MINUTE);
    const [pod] = pods('bad');
    const [status] = listOf(at(pod, 'status', 'containerStatuses')).map(objOf);
    expect(at(status, 'state', 'waiting', 'reason')).toBe('CrashLoopBackOff');
    expect(status?.ready).toBe(false);
  });

  it.each([
    [['wget'], ['web:80'], 'Never', 'Succeeded'],
    [['sh', '-c', 'echo done'], [], 'OnFailure', 'Succeeded'],
    [['sleep', '30'], [], 'Never', 'Succeeded'],
    [['sleep', '1h'], [], 'Never', 'Running'],
    [['sh', '-c', 'sleep infinity'], [], 'Never', 'Running'],
    [['tail', '-f', '/dev/null'], [], 'Never', 'Running'],
    [['sh'], [], 'Never', 'Running'],
    [[], [], 'Never', 'Running'],
    [['wget'], ['web:80'], 'Always', 'Running'],
  ])(
    'of one pod with %j %j that is restarted %s are %s after a minute',
    async (command, args, policy, ended) => {
      await pass(MINUTE);
      const container = { name: 'c', image: 'busybox', ...(command.length > 0 ? { command, args } : {}) };
      create('pods', 'default', {
        metadata: { name: 'once', labels: { app: 'once' } },
        spec: { restartPolicy: policy, containers: [container] },
      });
      await pass(MINUTE);
      expect(pods('once').map(phase)).toEqual([ended]);
    },
  );

  it('that the API refuses do not stop the others', async () => {
    await pass(MINUTE);
    const name = 'lost';
    create('jobs.batch', 'default', {
      metadata: { name },
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            serviceAccountName: 'missing',
            containers: [{ name: 'c', image: 'x:1' }],
          },
        },
      },
    });
    create('deployments.apps', 'default', deployment('web', 1));
    await pass(MINUTE);
    expect(pods('web').map(phase)).toEqual(['Running']);
    expect(at(find('jobs.batch', name, 'default'), 'status', 'active')).toBeUndefined();
  });

  it('keep the pods of a cluster that names revisions in another way', async () => {
    await pass(MINUTE);
    create('daemonsets.apps', 'default', {
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') },
    });
    await pass(MINUTE);
    const before = pods('agent').map(({ metadata }) => metadata.uid);
    const HASH = 'controller-revision-hash';
    const renamed = <T extends { metadata: { labels?: Record<string, string> } }>(object: T): T => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, [HASH]: 'elsewhere' } },
    });
    const { objects } = cluster.api;
    for (const pod of pods('agent')) objects.put('pods', renamed(pod));
    const [revision] = objects
      .list('controllerrevisions.apps')
      .filter(({ metadata }) => metadata.name.startsWith('agent-'));
    if (!revision) throw new Error('no revision');
    objects.remove('controllerrevisions.apps', 'default', revision.metadata.name);
    objects.put('controllerrevisions.apps', {
      ...renamed(revision),
      metadata: { ...renamed(revision).metadata, name: 'agent-elsewhere' },
    });
    await pass(MINUTE);
    expect(pods('agent').map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(find('daemonsets.apps', 'agent', 'default')?.status).toMatchObject({
      updatedNumberScheduled: before.length,
    });
  });

  it('run stateful sets in order, each pod with its own claim', async () => {
    for (const [resource, body] of driverObjects()) create(resource, 'default', body);
    await pass(MINUTE);
    create('storageclasses.storage.k8s.io', undefined, {
      metadata: { name: 'fast' },
      provisioner: 'csi.proxmox.sinextra.dev',
      volumeBindingMode: 'WaitForFirstConsumer',
      parameters: { storage: 'zfs' },
    });
    create('statefulsets.apps', 'default', {
      metadata: { name: 'db' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: template('db', {
          containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        }),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: 'fast',
              resources: { requests: { storage: '1Gi' } },
            },
          },
        ],
      },
    });
    await pass(2 * MINUTE);
    expect(pods('db').map((pod) => [pod.metadata.name, phase(pod)])).toEqual([
      ['db-0', 'Running'],
      ['db-1', 'Running'],
    ]);
    expect(cluster.api.objects.list('persistentvolumeclaims', 'default').map(phase)).toEqual([
      'Bound',
      'Bound',
    ]);
    const attachments = cluster.api.objects.list('volumeattachments.storage.k8s.io');
    expect(attachments.map((item) => at(item, 'status', 'attached'))).toEqual([true, true]);
  });
});
