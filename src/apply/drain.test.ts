import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drivenCore, testNode } from '../../test/support/lab/kubernetes/testing.js';
import {
  connectKubernetes,
  type KubernetesClient,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../clients/kubernetes/index.js';
import { DEPLOYMENTS, VOLUME_ATTACHMENTS } from '../clients/kubernetes/resources.js';
import { createAuthority, issue } from '../lab/kubernetes/certificates.js';
import { type SimulatedKubernetes, startKubernetes } from '../lab/kubernetes/index.js';
import { cordon, type DrainContext, drain, uncordon } from './drain.js';

const POLICY = { timeoutSeconds: 60, deleteLocalData: true, force: false };
const TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

let core: ReturnType<typeof drivenCore>;
let lab: SimulatedKubernetes;
let kubernetes: KubernetesClient;
let context: DrainContext;

beforeEach(async () => {
  core = drivenCore();
  lab = startKubernetes(core);
  const authority = await createAuthority('kubernetes');
  lab.feed.cluster({ authority, version: 'v1.36.0', cni: 'flannel', kubeProxy: true, coreDns: false });
  lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true, taints: [TAINT] }));
  for (const number of [1, 2]) lab.feed.nodeUp(testNode(`work-${number}`, 50 + number));
  await lab.feed.apiServerUp('10.20.30.41');
  const admin = await issue(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  });
  kubernetes = connectKubernetes({
    endpoints: ['10.20.30.41'],
    credentials: { ca: authority.certificate, ...admin },
    dial: (ip, port) => core.network.dial(ip, port),
    clock: core.clock,
  });
  context = { kubernetes, clock: core.clock, progress: () => {} };
  await core.clock.sleep(60_000);
});
afterEach(async () => {
  await kubernetes.close();
  await lab.close();
  core.clock.stop();
});

async function deploy(name: string, replicas: number, spec: Partial<PodSpec> = {}): Promise<void> {
  const labels = { app: name };
  await kubernetes.create(
    DEPLOYMENTS,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x:1' }], ...spec } },
      },
    },
    'default',
  );
  await core.clock.sleep(60_000);
}

async function podsOn(node: string, app: string): Promise<string[]> {
  const pods = await kubernetes.list(PODS, { fieldSelector: `spec.nodeName=${node}` });
  return pods.filter((pod) => pod.metadata?.labels?.app === app).map((pod) => pod.metadata?.uid ?? '');
}

async function nodeWith(app: string): Promise<string> {
  return (await podsOn('work-1', app)).length > 0 ? 'work-1' : 'work-2';
}

describe('draining a node', () => {
  it('moves its pods elsewhere and leaves DaemonSets alone', async () => {
    await deploy('web', 4);
    await cordon(context, 'work-1');
    await drain(context, 'work-1', POLICY);
    expect(await podsOn('work-1', 'web')).toEqual([]);
    expect(await podsOn('work-2', 'web')).toHaveLength(4);
    const left = await kubernetes.list(PODS, { fieldSelector: 'spec.nodeName=work-1' });
    expect(left.length).toBeGreaterThan(0);
  });

  it('does not wait for what returns to a cordoned node, only for what was there', async () => {
    const node = 'work-1';
    await deploy('operator', 1, {
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { 'kubernetes.io/hostname': node },
    });
    const [before] = await podsOn(node, 'operator');
    await cordon(context, node);
    const begin = core.clock.now();
    await drain(context, node, POLICY);
    expect(await podsOn(node, 'operator')).not.toContain(before);
    expect(core.clock.now() - begin).toBeLessThan(60_000);
  });

  it('ends with the kubelet: nothing else on the node ends its pods', async () => {
    await deploy('web', 2);
    const node = await nodeWith('web');
    // Kubernetes takes a while to notice.
    lab.feed.nodeDown(node);
    await cordon(context, node);
    const begin = core.clock.now();
    expect(await drain(context, node, { ...POLICY, timeoutSeconds: 300 })).toBe('lost');
    expect(core.clock.now() - begin).toBeLessThan(180_000);
  });

  it('waits on where a kubelet is only silent for some seconds', async () => {
    await deploy('web', 2);
    const node = await nodeWith('web');
    await cordon(context, node);
    let asked = 0;
    const flapping: typeof kubernetes = {
      ...kubernetes,
      get: (async (resource: typeof NODES, name: string) => {
        const object = await kubernetes.get(resource, name);
        asked += 1;
        const conditions = [{ type: 'Ready', status: asked <= 3 ? 'Unknown' : 'True' }];
        return resource === NODES && object
          ? { ...object, status: { ...object.status, conditions } }
          : object;
      }) as typeof kubernetes.get,
    };
    expect(await drain({ ...context, kubernetes: flapping }, node, POLICY)).toBe('empty');
    expect(await podsOn(node, 'web')).toEqual([]);
  });

  it('names what blocks it when its time is over, and touches nothing more', async () => {
    await deploy('web', 1);
    await kubernetes.create(
      POD_DISRUPTION_BUDGETS,
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'web' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      },
      'default',
    );
    await core.clock.sleep(10_000);
    const node = await nodeWith('web');
    const pods = await podsOn(node, 'web');
    await expect(drain(context, node, POLICY)).rejects.toMatchObject({
      code: 'drain.timeout',
      message: expect.stringMatching(/could not be drained in 60 s: default\/web-.*disruption budget/),
    });
    expect(await podsOn(node, 'web')).toEqual(pods);
  });

  it('keeps pods that no one would bring back, and local data, unless the policy says otherwise', async () => {
    await deploy('cache', 1, { volumes: [{ name: 'v', emptyDir: {} }] });
    await kubernetes.create(
      PODS,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'alone' },
        spec: { nodeName: await nodeWith('cache'), containers: [{ name: 'c', image: 'x:1' }] },
      },
      'default',
    );
    await core.clock.sleep(10_000);
    const node = await nodeWith('cache');
    const begin = core.clock.now();
    await expect(drain(context, node, { ...POLICY, deleteLocalData: false })).rejects.toMatchObject({
      code: 'drain.refused',
      message: expect.stringMatching(/default\/alone has no controller.*policy\.drain\.force/s),
    });
    // Waiting would change nothing, and nothing was evicted.
    expect(core.clock.now() - begin).toBeLessThan(2_000);
    expect(await podsOn(node, 'cache')).toHaveLength(1);
    await drain(context, node, { ...POLICY, force: true });
    expect(await podsOn(node, 'cache')).toEqual([]);
  });
});

const volume = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'static',
    csi: { driver: 'csi.proxmox.sinextra.dev', volumeHandle: `lab/pve1/zfs/vm-9999-${name}` },
  },
});
const claim = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'static',
    volumeName: name,
    resources: { requests: { storage: '1Gi' } },
  },
});

describe('a drain and what it cannot hurry', () => {
  it('does not wait for volumes of DaemonSets', async () => {
    const labels = { app: 'agent' };
    await kubernetes.apply(volume('agent'));
    await kubernetes.apply(claim('agent'));
    await kubernetes.apply({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { 'kubernetes.io/hostname': 'work-1' },
            containers: [{ name: 'c', image: 'x:1' }],
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'agent' } }],
          },
        },
      },
    });
    await core.clock.sleep(60_000);
    // No one detaches it while its pod stays.
    const [attachment] = await kubernetes.list(VOLUME_ATTACHMENTS);
    expect(attachment?.spec.nodeName).toBe('work-1');
    await cordon(context, 'work-1');
    const begin = core.clock.now();
    await drain(context, 'work-1', POLICY);
    expect(core.clock.now() - begin).toBeLessThan(10_000);
  });

  it('waits until volumes of evicted pods are off the node, and names them', async () => {
    await kubernetes.apply(volume('books'));
    await kubernetes.apply(claim('books'));
    await deploy('library', 1, {
      nodeSelector: { 'kubernetes.io/hostname': 'work-1' },
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'books' } }],
    });
    const [attachment] = await kubernetes.list(VOLUME_ATTACHMENTS);
    const name = attachment?.metadata?.name ?? '';
    const hold = (finalizers: string[]) =>
      kubernetes.patch(VOLUME_ATTACHMENTS, name, { metadata: { finalizers } }, { kind: 'merge' });
    await hold(['example.org/slow']);
    await cordon(context, 'work-1');
    await expect(drain(context, 'work-1', POLICY)).rejects.toMatchObject({
      code: 'drain.timeout',
      message: expect.stringContaining('volume books is still attached'),
    });
    // Nothing is left to evict for the next run; the volume is waited for all the same.
    await expect(drain(context, 'work-1', { ...POLICY, timeoutSeconds: 90 })).rejects.toMatchObject({
      message: expect.stringContaining('volume books is still attached'),
    });
    await hold([]);
    await drain(context, 'work-1', POLICY);
  });
});

describe('a drain and what holds it', () => {
  const budget = (name: string, app: string) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
  });

  it('names the budget, and the pod', async () => {
    await deploy('web', 1);
    await kubernetes.apply(budget('keep-web', 'web'));
    await core.clock.sleep(10_000);
    await expect(drain(context, await nodeWith('web'), POLICY)).rejects.toMatchObject({
      message: expect.stringMatching(/default\/web-\S+: .*disruption budget keep-web needs 1 healthy/),
    });
  });

  it('tries again while the API cannot ask a webhook, and goes on when it can', async () => {
    await deploy('web', 1);
    const node = await nodeWith('web');
    const [pod] = (await kubernetes.list(PODS, { namespace: 'default' })).map(
      ({ metadata }) => metadata?.name ?? '',
    );
    const subject = `POST /api/v1/namespaces/default/pods/${pod}/eviction`;
    const said: string[] = [];
    core.faults.set({ name: 'kube-error', subject, countdown: null });
    core.clock.schedule(core.clock.now() + 20_000, () => core.faults.clear('kube-error', subject));
    await cordon(context, node);
    await drain({ ...context, progress: (text) => said.push(text) }, node, POLICY);
    expect(said[0]).toContain(`default/${pod}: `);
    expect(await podsOn(node, 'web')).toEqual([]);
  });

  it('does not wait for an attachment that no pod of it explains', async () => {
    await kubernetes.create(VOLUME_ATTACHMENTS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'left-over' },
      spec: { attacher: 'other.csi', nodeName: 'work-1', source: { persistentVolumeName: 'gone' } },
    });
    await cordon(context, 'work-1');
    const begin = core.clock.now();
    await drain(context, 'work-1', POLICY);
    expect(core.clock.now() - begin).toBeLessThan(5_000);
    expect(await kubernetes.get(VOLUME_ATTACHMENTS, 'left-over')).toBeDefined();
  });
});

describe('cordons', () => {
  it('are taken away again where they are ours, and left where they are not', async () => {
    expect(await cordon(context, 'work-1')).toBe(true);
    await uncordon(context, 'work-1');
    expect((await kubernetes.get(NODES, 'work-1'))?.spec?.unschedulable).toBeUndefined();
    await kubernetes.patch(NODES, 'work-2', { spec: { unschedulable: true } }, { kind: 'merge' });
    expect(await cordon(context, 'work-2')).toBe(false);
    await uncordon(context, 'work-2');
    expect((await kubernetes.get(NODES, 'work-2'))?.spec?.unschedulable).toBe(true);
  });
});
