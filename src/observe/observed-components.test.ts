import { describe, expect, it } from 'vitest';
import { known, type Observed, unknown } from './observed.js';
import { stoppedComponents } from './observed-components.js';
import type { MachineDetails } from './observed-machines.js';

const CONFIG = JSON.stringify([
  { machine: { kubelet: { image: 'ghcr.io/siderolabs/kubelet:v1.37.0' } } },
  {
    cluster: {
      apiServer: { image: 'registry.k8s.io/kube-apiserver:v1.37.0' },
      controllerManager: { image: 'registry.k8s.io/kube-controller-manager:v1.37.0' },
      scheduler: { image: 'registry.k8s.io/kube-scheduler:v1.37.0' },
    },
  },
]);
const RESTARTS =
  'Error running Containerd(kubelet), going to restart until it succeeds: task "kubelet" failed: exit code 1';
const NOT_READY = { name: 'staticPods', reason: 'kube-system/kube-scheduler-cp-1 not ready' };

interface Seen {
  readonly details?: Partial<MachineDetails>;
  readonly kubelet?: string;
  readonly pods?: Readonly<Record<string, string>>;
  readonly role?: 'controlplane' | 'worker';
}

/** Everything runs as the config names it, but for what is given. */
function stopped({ details, kubelet = 'v1.37.0', pods = {}, role = 'controlplane' }: Seen) {
  const machine = {
    details: known({
      stage: 'running',
      unmet: [],
      services: [{ id: 'kubelet', state: 'Running', health: 'healthy', message: '' }],
      config: known({ hash: 'a', redacted: CONFIG }),
      etcd: known({ memberId: '1', leader: '1', learner: false }),
      ...details,
    }),
  };
  const kubernetes = {
    nodes: known([{ name: 'cp-1', ready: true, kubeletVersion: kubelet }]),
    controlPlanePods: known(
      Object.entries(pods).map(([component, image]) => ({ node: 'cp-1', component, image })),
    ),
  };
  const observed = { machines: { 'cp-1': machine }, kubernetes } as unknown as Observed;
  return stoppedComponents({ name: 'cp-1', role }, observed);
}

describe('parts of Kubernetes', () => {
  it('run as the config names them', () => {
    expect(stopped({ pods: { 'kube-apiserver': 'registry.k8s.io/kube-apiserver:v1.37.0' } })).toEqual({});
  });

  it.each<[string, Seen, ReturnType<typeof stoppedComponents>]>([
    [
      'a kubelet of another version',
      { kubelet: 'v1.36.0' },
      { kubelet: 'v1.36.0 runs, its config names v1.37.0' },
    ],
    [
      'a kubelet that ends again and again',
      { details: { services: [{ id: 'kubelet', state: 'Waiting', health: 'unknown', message: RESTARTS }] } },
      { kubelet: 'it does not start: task "kubelet" failed: exit code 1' },
    ],
    [
      'a static pod that is not ready',
      { details: { unmet: [NOT_READY] } },
      { scheduler: 'its pod is not ready' },
    ],
    [
      'a static pod of another version',
      { pods: { 'kube-apiserver': 'registry.k8s.io/kube-apiserver:v1.36.0' } },
      { apiServer: 'v1.36.0 runs, its config names v1.37.0' },
    ],
  ])('do not: %s', (_, seen, reasons) => {
    expect(stopped(seen)).toEqual(reasons);
  });

  it.each<[string, Seen]>([
    ['a machine that boots', { kubelet: 'v1.36.0', details: { stage: 'booting' } }],
    ['a config that was not read', { kubelet: 'v1.36.0', details: { config: unknown('x') } }],
    ['an API server without etcd', { details: { unmet: [NOT_READY], etcd: unknown('x') } }],
    ['the pods of a worker', { role: 'worker', details: { unmet: [NOT_READY] } }],
    [
      'a kubelet that waits for its disk',
      {
        details: {
          services: [{ id: 'kubelet', state: 'Waiting', health: '', message: 'Waiting for volume' }],
        },
      },
    ],
  ])('are not judged by %s', (_, seen) => {
    expect(stopped(seen)).toEqual({});
  });
});
