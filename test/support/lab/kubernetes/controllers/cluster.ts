/** A simulated cluster of a control plane and three workers, on a clock that the tests drive. */
import { afterEach, beforeEach } from 'vitest';
import type { KubeApi } from '../../../../../src/lab/kubernetes/api/kube-api.js';
import { internalWrite } from '../../../../../src/lab/kubernetes/api/options.js';
import { createAuthority } from '../../../../../src/lab/kubernetes/certificates.js';
import { conditionOf } from '../../../../../src/lab/kubernetes/controllers/world.js';
import type { CsiBackend } from '../../../../../src/lab/kubernetes/feed.js';
import { type SimulatedKubernetes, startKubernetes } from '../../../../../src/lab/kubernetes/index.js';
import { at, type Obj, textOf } from '../../../../../src/lab/kubernetes/json.js';
import type { KubeObject } from '../../../../../src/lab/kubernetes/object.js';
import { drivenCore, testNode } from '../testing.js';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

export interface ClusterOptions {
  readonly cni?: 'flannel' | 'none';
  readonly csi?: CsiBackend;
}

/** One for each test: it starts before, and ends after. */
export function clusterForTests() {
  let core: ReturnType<typeof drivenCore>;
  let lab: SimulatedKubernetes;

  /** A test that wants another one closes the one there is first. */
  async function start({ cni = 'flannel', csi }: ClusterOptions = {}): Promise<void> {
    core = drivenCore();
    lab = startKubernetes(core, csi ? { csi: () => csi } : {});
    const authority = await createAuthority('kubernetes');
    lab.feed.cluster({ authority, version: 'v1.36.0', cni, kubeProxy: cni === 'flannel', coreDns: true });
    lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true, taints: [TAINT], labels: TOPOLOGY }));
    for (const number of [1, 2, 3])
      lab.feed.nodeUp(testNode(`work-${number}`, 50 + number, { labels: TOPOLOGY }));
    await lab.feed.apiServerUp('10.20.30.41');
  }

  beforeEach(() => start());
  afterEach(async () => {
    await lab.close();
    core.clock.stop();
  });

  const find = (resource: string, name: string, namespace?: string): KubeObject | undefined =>
    lab.api.find(resource, namespace, name);

  return {
    start,
    get api(): KubeApi {
      return lab.api;
    },
    get lab(): SimulatedKubernetes {
      return lab;
    },
    /** The process is killed, and another one finds what it left. */
    async startAgain(): Promise<void> {
      await lab.close();
      lab = startKubernetes(core);
      await lab.feed.apiServerUp('10.20.30.41');
    },
    create: (resource: string, namespace: string | undefined, body: Obj): KubeObject =>
      lab.api.create(lab.api.type(resource), namespace, body, internalWrite('test')),
    find,
    pods: (app: string): KubeObject[] =>
      lab.api.objects.list('pods', 'default').filter((pod) => pod.metadata.labels?.app === app),
    readyStatus(name: string): unknown {
      const node = find('nodes', name);
      return node && conditionOf(node, 'Ready')?.status;
    },
    pass: (ms: number): Promise<void> => core.clock.sleep(ms),
  };
}

const TOPOLOGY = { 'topology.kubernetes.io/region': 'rack', 'topology.kubernetes.io/zone': 'pve1' };

/** Pods of the Proxmox CSI driver: a controller, and a node plugin on every node. */
export function driverObjects(): [resource: string, body: Obj][] {
  const everywhere = { tolerations: [{ operator: 'Exists' }] };
  const path = '/var/lib/kubelet/plugins/csi.proxmox.sinextra.dev/csi.sock';
  const images = ['proxmox-csi-controller', 'csi-attacher', 'csi-provisioner', 'csi-resizer'];
  const workload = (app: string, containers: Obj[], more: Obj = {}): Obj => ({
    metadata: { name: app },
    spec: {
      selector: { matchLabels: { app } },
      template: template(app, { ...everywhere, containers }),
      ...more,
    },
  });
  return [
    [
      'deployments.apps',
      workload(
        'csi-controller',
        images.map((name) => ({ name, image: `${name}:v1` })),
      ),
    ],
    [
      'daemonsets.apps',
      workload('csi-node', [
        { name: 'registrar', image: 'registrar:v1', args: [`--kubelet-registration-path=${path}`] },
      ]),
    ],
  ];
}

export const nodeOf = (pod: KubeObject) => textOf(at(pod, 'spec', 'nodeName'));
export const phase = (object: KubeObject | undefined) => at(object, 'status', 'phase');

export function template(app: string, more: Obj = {}): Obj {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'x:1' }], ...more } };
}

export function deployment(app: string, replicas: number, more: Obj = {}): Obj {
  return {
    metadata: { name: app },
    spec: { replicas, selector: { matchLabels: { app } }, template: template(app, more) },
  };
}
