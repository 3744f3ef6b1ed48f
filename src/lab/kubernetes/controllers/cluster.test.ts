import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeApi } from '../api/kube-api.js';
import { internalWrite, PLAIN_DELETE } from '../api/options.js';
import { createAuthority } from '../certificates.js';
import type { CsiBackend } from '../feed.js';
import { type SimulatedKubernetes, startKubernetes } from '../index.js';
import { at, listOf, type Obj, objOf, textOf } from '../json.js';
import { controllerOf, type KubeObject } from '../object.js';
import { drivenCore, testNode } from '../testing.js';
import { conditionOf } from './world.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

let core: ReturnType<typeof drivenCore>;
let lab: SimulatedKubernetes;
let api: KubeApi;

async function start(options: { cni?: 'flannel' | 'none'; csi?: CsiBackend } = {}): Promise<void> {
  core = drivenCore();
  const { csi } = options;
  lab = startKubernetes(core, csi ? { csi: () => csi } : {});
  api = lab.api;
  const authority = await createAuthority('kubernetes');
  const cni = options.cni ?? 'flannel';
  lab.feed.cluster({ authority, version: 'v1.36.0', cni, kubeProxy: cni === 'flannel', coreDns: true });
  lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true, taints: [TAINT] }));
  for (const number of [1, 2, 3]) lab.feed.nodeUp(testNode(`work-${number}`, 50 + number));
  await lab.feed.apiServerUp('10.20.30.41');
}

beforeEach(() => start());
afterEach(async () => {
  await lab.close();
  core.clock.stop();
});

function create(resource: string, namespace: string | undefined, body: Obj): KubeObject {
  return api.create(api.type(resource), namespace, body, internalWrite('test'));
}

function find(resource: string, name: string, namespace?: string): KubeObject | undefined {
  return api.find(resource, namespace, name);
}

function pods(app: string): KubeObject[] {
  return api.objects.list('pods', 'default').filter((pod) => pod.metadata.labels?.app === app);
}

function readyStatus(name: string): unknown {
  const node = find('nodes', name);
  return node && conditionOf(node, 'Ready')?.status;
}

const nodeOf = (pod: KubeObject) => textOf(at(pod, 'spec', 'nodeName'));
const phase = (object: KubeObject | undefined) => at(object, 'status', 'phase');

function template(app: string, more: Obj = {}): Obj {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'x:1' }], ...more } };
}

function deployment(app: string, replicas: number, more: Obj = {}): Obj {
  return {
    metadata: { name: app },
    spec: { replicas, selector: { matchLabels: { app } }, template: template(app, more) },
  };
}

async function pass(ms: number): Promise<void> {
  await core.clock.sleep(ms);
}

describe('nodes', () => {
  it('register, become ready with their network, and lose the taint of new nodes', async () => {
    await pass(MINUTE);
    expect(['cp-1', 'work-1', 'work-2', 'work-3'].map(readyStatus)).toEqual(['True', 'True', 'True', 'True']);
    expect(at(find('nodes', 'work-1'), 'spec', 'taints')).toBeUndefined();
    expect(at(find('nodes', 'cp-1'), 'spec', 'taints')).toEqual([TAINT]);
    expect(at(find('nodes', 'work-1'), 'status', 'nodeInfo', 'kubeletVersion')).toBe('v1.36.0');
  });

  it('stay not ready without a network until Cilium was installed', async () => {
    await lab.close();
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
    lab.feed.nodeDown('work-1');
    await pass(30 * SECOND);
    expect(readyStatus('work-1')).toBe('True');
    await pass(25 * SECOND);
    expect(readyStatus('work-1')).toBe('Unknown');
    await pass(6 * MINUTE);
    const running = pods('web').filter((pod) => pod.metadata.deletionTimestamp === undefined);
    expect(running.map(nodeOf)).not.toContain('work-1');
    expect(running).toHaveLength(3);
    lab.feed.nodeUp(testNode('work-1', 51, { bootID: 'next' }));
    await pass(MINUTE);
    expect(readyStatus('work-1')).toBe('True');
  });

  it('do not register again when they are deleted, until they reboot', async () => {
    await pass(MINUTE);
    const type = api.type('nodes');
    const target = { type, namespace: undefined, name: 'work-3', subresource: '' };
    api.delete(target, PLAIN_DELETE);
    await pass(5 * MINUTE);
    expect(find('nodes', 'work-3')).toBeUndefined();
    expect(api.objects.list('pods').some((pod) => nodeOf(pod) === 'work-3')).toBe(false);
    lab.feed.nodeUp(testNode('work-3', 53, { bootID: 'next' }));
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
    lab.feed.nodeDown('work-1');
    await pass(20 * SECOND);
    lab.feed.nodeUp(testNode('work-1', 51, { bootID: 'next' }));
    await pass(30 * SECOND);
    const [status] = listOf(at(find('pods', 'p', 'default'), 'status', 'containerStatuses')).map(objOf);
    expect(status).toMatchObject({ ready: true, restartCount: 1 });
  });
});

describe('system pods', () => {
  it('are those of a Talos cluster', async () => {
    await pass(MINUTE);
    const names = api.objects
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
    expect(api.objects.list('pods', 'kube-system').every((pod) => phase(pod) === 'Running')).toBe(true);
  });

  it('follow the images of an upgraded control plane', async () => {
    await pass(MINUTE);
    const image = 'registry.k8s.io/kube-apiserver:v1.36.1';
    lab.feed.nodeUp(
      testNode('cp-1', 41, { controlPlane: true, taints: [TAINT], staticPods: { 'kube-apiserver': image } }),
    );
    await pass(MINUTE);
    const pod = find('pods', 'kube-apiserver-cp-1', 'kube-system');
    expect(objOf(listOf(at(pod, 'spec', 'containers'))[0]).image).toBe(image);
    expect(phase(pod)).toBe('Running');
  });
});

describe('workloads', () => {
  it('keep away from cordoned nodes and control planes', async () => {
    await pass(MINUTE);
    const node = find('nodes', 'work-2');
    if (!node) throw new Error('no node');
    api.objects.put('nodes', { ...node, spec: { ...objOf(node.spec), unschedulable: true } });
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
    const spec = objOf(old.spec);
    const next = { ...spec, template: template('web', { containers: [{ name: 'c', image: 'x:2' }] }) };
    const target = { type: api.type('deployments.apps'), namespace: 'default', name: 'web', subresource: '' };
    api.replace(target, old, { ...old, spec: next }, internalWrite('test'));
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

  it('that the API refuses do not stop the others', async () => {
    await pass(MINUTE);
    // Names of pods are labels as well, and these are too long for one.
    const name = 'x'.repeat(100);
    create('jobs.batch', 'default', {
      metadata: { name },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x:1' }] } } },
    });
    create('deployments.apps', 'default', deployment('web', 1));
    await pass(MINUTE);
    expect(pods('web').map(phase)).toEqual(['Running']);
    expect(at(find('jobs.batch', name, 'default'), 'status', 'active')).toBeUndefined();
  });

  it('run stateful sets in order, each pod with its own claim', async () => {
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
    expect(api.objects.list('persistentvolumeclaims', 'default').map(phase)).toEqual(['Bound', 'Bound']);
    const attachments = api.objects.list('volumeattachments.storage.k8s.io');
    expect(attachments.map((item) => at(item, 'status', 'attached'))).toEqual([true, true]);
  });
});

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
    api.delete(
      { type: api.type('persistentvolumeclaims'), namespace: 'default', name: 'c', subresource: '' },
      PLAIN_DELETE,
    );
    await pass(5 * SECOND);
    expect(find('persistentvolumeclaims', 'c', 'default')).toBeUndefined();
    expect(phase(find('persistentvolumes', 'v'))).toBe('Released');
  });

  it('hold a pod back while they cannot be attached, and say why', async () => {
    await lab.close();
    await start({
      csi: {
        attach() {
          throw new Error('disk is used by VM 101');
        },
        detach() {},
      },
    });
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
    const [attachment] = api.objects.list('volumeattachments.storage.k8s.io');
    expect(at(attachment, 'status', 'attachError', 'message')).toBe('disk is used by VM 101');
  });

  it('keep a pod to the nodes their affinity names', async () => {
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
});

describe('the end of things', () => {
  it('a namespace takes everything in it along', async () => {
    await pass(MINUTE);
    create('namespaces', undefined, { metadata: { name: 'shop' } });
    await pass(SECOND);
    create('deployments.apps', 'shop', deployment('web', 2));
    await pass(MINUTE);
    expect(api.objects.list('pods', 'shop')).toHaveLength(2);
    api.delete(
      { type: api.type('namespaces'), namespace: undefined, name: 'shop', subresource: '' },
      PLAIN_DELETE,
    );
    await pass(2 * MINUTE);
    expect(find('namespaces', 'shop')).toBeUndefined();
    expect(api.objects.list('pods', 'shop')).toEqual([]);
  });

  it('nothing moves while no API server runs', async () => {
    await pass(MINUTE);
    await lab.feed.apiServerDown('10.20.30.41');
    create('deployments.apps', 'default', deployment('web', 2));
    await pass(5 * MINUTE);
    expect(pods('web')).toEqual([]);
    await lab.feed.apiServerUp('10.20.30.41');
    await pass(MINUTE);
    expect(pods('web').map(phase)).toEqual(['Running', 'Running']);
  });
});

describe('a cluster that nobody touches', () => {
  it('is at rest: only heartbeats are written', async () => {
    create('deployments.apps', 'default', deployment('web', 3));
    create('statefulsets.apps', 'default', {
      metadata: { name: 'db' },
      spec: { serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template: template('db') },
    });
    create('poddisruptionbudgets.policy', 'default', {
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await pass(5 * MINUTE);
    const written: string[] = [];
    const stop = api.objects.subscribe((change) => {
      if (change.resource !== 'leases.coordination.k8s.io')
        written.push(`${change.resource} ${change.object.metadata.name}`);
    });
    await pass(60 * MINUTE);
    stop();
    // Four nodes report their conditions every five minutes.
    expect(new Set(written)).toEqual(new Set(['nodes cp-1', 'nodes work-1', 'nodes work-2', 'nodes work-3']));
    expect(written.length).toBeLessThanOrEqual(4 * 13);
  });

  it('goes on where it stood when its process was killed', async () => {
    await pass(MINUTE);
    create('deployments.apps', 'default', deployment('web', 2));
    await pass(500);
    const before = pods('web').map((pod) => pod.metadata.uid);
    await lab.close();
    lab = startKubernetes(core);
    api = lab.api;
    await lab.feed.apiServerUp('10.20.30.41');
    await pass(MINUTE);
    expect(pods('web').map((pod) => pod.metadata.uid)).toEqual(before);
    expect(pods('web').map(phase)).toEqual(['Running', 'Running']);
  });
});
