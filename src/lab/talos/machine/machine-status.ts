import { routedAddresses } from '../network/network-path.js';
import { timeSynced } from '../services/services.js';
import type { Machine } from './machine.js';

/** How ready a machine says it is: the checks of Talos' MachineStatus controller, with its texts. */
export interface MachineStatus {
  readonly stage: string;
  readonly status: {
    readonly ready: boolean;
    readonly unmetConditions: readonly { readonly name: string; readonly reason: string }[];
  };
}

export function machineStatus(machine: Machine): MachineStatus {
  const { stage } = machine.record;
  const unmetConditions = stage === 'running' ? unmet(machine) : [];
  const ready = (stage === 'running' || stage === 'maintenance') && unmetConditions.length === 0;
  return { stage, status: { ready, unmetConditions } };
}

function unmet(machine: Machine): { name: string; reason: string }[] {
  const conditions: { name: string; reason: string }[] = [];
  const add = (name: string, problems: readonly string[]) => {
    if (problems.length > 0) conditions.push({ name, reason: problems.join(', ') });
  };
  const { addressReady, connectivityReady } = networkReadiness(machine);
  const waiting = [...(addressReady ? [] : ['address']), ...(connectivityReady ? [] : ['connectivity'])];
  if (!timeSynced(machine)) add('time', ['time is not in sync']);
  if (waiting.length > 0) add('network', [`waiting on: ${waiting.join(', ')}`]);
  add(
    'services',
    shownServices(machine).flatMap(({ id, running, healthy, unknown }) => {
      if (!running) return [`${id} not running`];
      return healthy || unknown ? [] : [`${id} not healthy`];
    }),
  );
  add(
    'staticPods',
    staticPods(machine).flatMap((pod) => (pod.ready ? [] : [`kube-system/${pod.name} not ready`])),
  );
  const { kubernetes } = machine.room;
  const cluster = machine.facts?.cluster.id;
  if (kubernetes && cluster !== undefined && machine.service('kubelet')?.state === 'Running') {
    const ready = kubernetes.nodeReady(cluster, machine.nodeName);
    if (ready === undefined) add('nodeReady', [`node "${machine.nodeName}" status is not available yet`]);
    else if (!ready) add('nodeReady', [`node "${machine.nodeName}" is not ready`]);
  }
  return conditions;
}

/** Connectivity is a default route, whether anything answers behind it or not. */
export function networkReadiness(machine: Machine): { addressReady: boolean; connectivityReady: boolean } {
  const { addresses } = machine;
  const addressReady = addresses.length > 0;
  const gateways = addresses.some((address) => address.gateway !== undefined);
  return {
    addressReady,
    connectivityReady: addressReady && (!gateways || routedAddresses(machine).length > 0),
  };
}

interface ShownService {
  readonly id: string;
  readonly state: string;
  readonly running: boolean;
  readonly healthy: boolean;
  /** It has no health check. */
  readonly unknown: boolean;
  readonly message: string;
  readonly since: number;
}

export function shownServices(machine: Machine): ShownService[] {
  return Object.entries(machine.record.services)
    .map(([id, { state, healthy, message, since }]) => {
      const running = state === 'Running';
      return {
        id,
        state,
        running,
        healthy: running && healthy,
        unknown: running && id.startsWith('ext-'),
        message,
        since,
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

/** Static pods exist once the machine knows etcd; they are ready when they run, and their programs start. */
export function staticPods(machine: Machine): { name: string; ready: boolean }[] {
  const { controlPlane } = machine.record;
  const { failing } = machine.facts ?? {};
  if (!machine.isControlPlane || controlPlane === 'off') return [];
  return (['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const).map((pod) => ({
    name: `${pod}-${machine.nodeName}`,
    // The others need an API server, and find one on another control plane or through the cluster's endpoint.
    ready: failing?.[pod] === undefined && (pod !== 'kube-apiserver' || controlPlane === 'running'),
  }));
}
