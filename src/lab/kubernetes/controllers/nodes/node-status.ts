import type { NodeDescription } from '../../feed.js';
import { at, listOf, type Obj, objOf, textOf } from '../../json.js';
import { type KubeObject, microTimeText, timeText } from '../../object.js';
import { canonicalQuantity } from '../../schema/quantity.js';
import { isReady } from '../pods/pods.js';
import { type Controller, soonest, type World, withCondition } from '../world.js';
import { withTalosFields } from './node-apply.js';
import { whyNodeRefused } from './node-restriction.js';

const HEARTBEAT = 10_000;
/** Conditions that did not change are reported this often; the lease in between says that the kubelet lives. */
const STATUS_REPORT = 5 * 60_000;
/** A kubelet needs a moment after its machine has started. */
const REGISTERS_AFTER = 2_000;
/** Pods that bring the network to a node. */
const NETWORK_AGENTS = new Set(['cilium', 'flannel', 'calico-node', 'kube-router']);

/** The kubelets: each registers its node, renews its lease and reports what it sees of the machine. */
export function kubeletController(needsNetwork: () => boolean): Controller {
  return {
    reconcile(world) {
      const times = [...world.machines.values()].map((machine) => {
        if (!machine.up) return undefined;
        if (world.now < machine.since + REGISTERS_AFTER) return machine.since + REGISTERS_AFTER;
        const { description, registered } = machine;
        const known = world.find('nodes', undefined, description.name);
        const node = known ?? (registered ? undefined : register(world, description));
        if (!node) return undefined;
        if (!registered) world.machines.put(description.name, { ...machine, registered: true });
        describe(world, node, description);
        const network = !needsNetwork() || hasNetwork(world, description.name);
        return heartbeat(world, description.name, network);
      });
      return soonest(...times);
    },
  };
}

function standardLabels({ name }: NodeDescription): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

function register(world: World, description: NodeDescription): KubeObject | undefined {
  const labels = standardLabels(description);
  const taints = (description.registersWith ?? []).map((taint) => ({ ...taint }));
  return world.create(
    'nodes',
    undefined,
    { metadata: { name: description.name, labels }, spec: taints.length > 0 ? { taints } : {} },
    'kubelet',
  );
}

/** Nodes that are as their machines were described when it was last looked. */
const described = new WeakMap<KubeObject, NodeDescription>();

/** What Talos sets on the node, and the machine's data; an update that is refused is tried again when the node changes. */
function describe(world: World, node: KubeObject, description: NodeDescription): void {
  if (described.get(node) === description) return;
  const kubelet = withKubeletFields(node, description);
  const next = withTalosFields(kubelet, description);
  // A control plane has the cluster's own credentials, a worker those of its kubelet.
  const refused = !description.controlPlane && whyNodeRefused(kubelet, next) !== undefined;
  world.update('nodes', refused ? kubelet : next, 'talos');
  const current = world.find('nodes', undefined, description.name) ?? next;
  const status = { ...objOf(current.status), ...machineStatus(description) };
  world.setStatus('nodes', current, status, 'kubelet');
  if (world.find('nodes', undefined, description.name) === node) described.set(node, description);
}

function withKubeletFields(node: KubeObject, description: NodeDescription): KubeObject {
  const { annotations = {}, labels = {} } = node.metadata;
  const spec = objOf(node.spec);
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: { ...labels, ...standardLabels(description) },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    },
    spec: {
      ...spec,
      ...(description.providerID ? { providerID: spec.providerID ?? description.providerID } : {}),
    },
  };
}

function machineStatus(description: NodeDescription): Obj {
  // As it is stored, so that telling it again is no change.
  const memory = canonicalQuantity(`${Math.floor(description.memory / 1024)}Ki`);
  const room = { cpu: String(description.cores), memory, pods: '110', 'ephemeral-storage': '10Gi' };
  return {
    addresses: [
      { type: 'InternalIP', address: description.ip },
      { type: 'Hostname', address: description.name },
    ],
    capacity: room,
    allocatable: room,
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: description.machineID ?? description.systemUUID.replaceAll('-', ''),
      systemUUID: description.systemUUID,
      bootID: description.bootID ?? description.systemUUID,
      kernelVersion: description.kernel,
      osImage: description.osImage,
      containerRuntimeVersion: description.containerRuntime ?? 'containerd://2.1.4',
      kubeletVersion: description.kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

function hasNetwork(world: World, node: string): boolean {
  return world.podsOn(node).some((pod) => {
    const { labels = {} } = pod.metadata;
    const agent = NETWORK_AGENTS.has(labels['k8s-app'] ?? '') || NETWORK_AGENTS.has(labels.app ?? '');
    return agent && isReady(pod);
  });
}

const FINE: readonly [type: string, reason: string, message: string][] = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
];

/** Renews lease and conditions; answers when the next renewal is due. */
export function heartbeat(world: World, name: string, network: boolean): number {
  const node = world.find('nodes', undefined, name);
  const lease = world.find('leases.coordination.k8s.io', 'kube-node-lease', name);
  const renewed = Date.parse(textOf(at(lease, 'spec', 'renewTime')));
  if (!node) return world.now + HEARTBEAT;
  const ready: Obj = network
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
    : {
        type: 'Ready',
        status: 'False',
        reason: 'KubeletNotReady',
        message:
          'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
      };
  const old = listOf(at(node, 'status', 'conditions')).map(objOf);
  const was = old.find((condition) => condition.type === 'Ready');
  const changed = was?.status !== ready.status || was?.reason !== ready.reason;
  const due = Number.isNaN(renewed) || renewed + HEARTBEAT <= world.now;
  if (due) renew(world, node, lease);
  const reported = Date.parse(textOf(was?.lastHeartbeatTime));
  if (changed || Number.isNaN(reported) || reported + STATUS_REPORT <= world.now)
    report(world, name, old, ready);
  return due ? world.now + HEARTBEAT : renewed + HEARTBEAT;
}

function report(world: World, name: string, old: Obj[], ready: Obj): void {
  const lastHeartbeatTime = world.time;
  let conditions = old;
  for (const [type, reason, message] of FINE) {
    conditions = withCondition(
      conditions,
      { type, status: 'False', reason, message, lastHeartbeatTime },
      world.time,
    );
  }
  conditions = withCondition(conditions, { ...ready, lastHeartbeatTime }, world.time);
  const current = world.find('nodes', undefined, name);
  if (current) world.setStatus('nodes', current, { ...objOf(current.status), conditions }, 'kubelet');
}

function renew(world: World, node: KubeObject, lease: KubeObject | undefined): void {
  const { name, uid = '' } = node.metadata;
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimeText(world.now) };
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
  if (!lease) {
    const metadata = { name, ownerReferences: [owner] };
    world.create('leases.coordination.k8s.io', 'kube-node-lease', { metadata, spec }, 'kubelet');
  } else world.objects.overwrite('leases.coordination.k8s.io', { ...lease, spec });
}

export function renewedAt(world: World, node: KubeObject): number {
  const lease = world.find('leases.coordination.k8s.io', 'kube-node-lease', node.metadata.name);
  const renewed = Date.parse(textOf(at(lease, 'spec', 'renewTime')));
  const created = Date.parse(textOf(node.metadata.creationTimestamp) || timeText(world.now));
  return Number.isNaN(renewed) ? created : renewed;
}
