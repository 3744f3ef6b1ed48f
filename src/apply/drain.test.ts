import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
import { drivenCore, testNode } from '../lab/kubernetes/testing.js';
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

  it('keeps pods that nobody would bring back, and local data, unless the policy says otherwise', async () => {
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

describe('a drain and what it cannot hurry', () => {
  it('waits for volumes of evicted pods, not for those of DaemonSets', async () => {
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
    // Nobody detaches it while its pod stays.
    const [attachment] = await kubernetes.list(VOLUME_ATTACHMENTS);
    expect(attachment?.spec.nodeName).toBe('work-1');
    await cordon(context, 'work-1');
    const begin = core.clock.now();
    await drain(context, 'work-1', POLICY);
    expect(core.clock.now() - begin).toBeLessThan(10_000);
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
