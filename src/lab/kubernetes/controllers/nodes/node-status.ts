import type { NodeDescription } from '../../feed.js';
import { at, listOf, type Obj, objOf, textOf } from '../../json.js';
import { type KubeObject, microTimeText, timeText } from '../../object.js';
import { canonicalQuantity } from '../../schema/quantity.js';
import { isReady } from '../pods/pods.js';
import { type Controller, conditionOf, type Machine, soonest, type World, withCondition } from '../world.js';
import { withTalosFields } from './node-apply.js';
import { whyNodeRefused } from './node-restriction.js';

const LEASES = 'leases.coordination.k8s.io';
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
      let next: number | undefined;
      for (const machine of world.machines.values()) {
        const time = machine.up ? kubelet(world, machine, needsNetwork) : undefined;
        next = soonest(next, time);
      }
      return next;
    },
  };
}

/** What a kubelet saw when it had nothing to do but to wait. */
interface AtRest {
  readonly node: KubeObject;
  readonly lease: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
  /** When it renews its lease. */
  readonly due: number;
  /** Until then it does nothing by itself. */
  readonly until: number;
}

const atRest = new WeakMap<Machine, AtRest>();

/** All kubelets are looked at in each round: one that sees what it saw before does nothing again. */
function kubelet(world: World, machine: Machine, needsNetwork: () => boolean): number | undefined {
  const { description, registered, since } = machine;
  const { name } = description;
  if (world.now < since + REGISTERS_AFTER) return since + REGISTERS_AFTER;
  const known = world.find('nodes', undefined, name);
  const pods = world.podsOn(name);
  const rest = atRest.get(machine);
  if (rest && rest.node === known && rest.pods === pods && rest.lease === leaseOf(world, name))
    if (world.now < rest.until) return rest.due;
  const node = known ?? (registered ? undefined : register(world, description));
  if (!node) return undefined;
  if (!registered) world.machines.put(name, { ...machine, registered: true });
  describe(world, node, description);
  const due = heartbeat(world, name, !needsNetwork() || bringsNetwork(pods));
  if (registered && described.get(node) === description && world.find('nodes', undefined, name) === node) {
    const until = Math.min(due, reportedAt(node) + STATUS_REPORT);
    atRest.set(machine, { node, lease: leaseOf(world, name), pods, due, until });
  }
  return due;
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

function bringsNetwork(pods: readonly KubeObject[]): boolean {
  return pods.some((pod) => {
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
  const lease = leaseOf(world, name);
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
  const reported = reportedAt(node);
  if (changed || Number.isNaN(reported) || reported + STATUS_REPORT <= world.now)
    report(world, name, old, ready);
  return due ? world.now + HEARTBEAT : renewed + HEARTBEAT;
}

function reportedAt(node: KubeObject): number {
  return Date.parse(textOf(conditionOf(node, 'Ready')?.lastHeartbeatTime));
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
    world.create(LEASES, 'kube-node-lease', { metadata, spec }, 'kubelet');
  } else world.objects.overwrite(LEASES, { ...lease, spec });
}

const byNodeLease = ({ metadata: { namespace, name } }: KubeObject) =>
  namespace === 'kube-node-lease' ? name : undefined;

export function leaseOf(world: World, node: string): KubeObject | undefined {
  return world.objects.group(LEASES, byNodeLease, node)[0];
}

export function renewedAt(world: World, node: KubeObject): number {
  const lease = leaseOf(world, node.metadata.name);
  const renewed = Date.parse(textOf(at(lease, 'spec', 'renewTime')));
  const created = Date.parse(textOf(node.metadata.creationTimestamp) || timeText(world.now));
  return Number.isNaN(renewed) ? created : renewed;
}
