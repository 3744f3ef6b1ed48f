/**
 * Whether a node works with a config that was just given to it: its components, its network, and what lies behind its
 * gateway. A small answer over the same link shows neither a wrong MTU nor a wrong gateway.
 */
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { Resource } from '../../clients/kubernetes/resources.js';
import type { RunningTalos } from '../../clients/talos/client.js';
import { isTalosError } from '../../clients/talos/errors.js';
import { RESOURCES } from '../../clients/talos/resources.js';
import { OxherdError } from '../../model/error.js';
import { attempt } from '../../observe/attempt.js';
import { isNodeReady } from '../../observe/readiness.js';
import { COMPONENTS, type Component } from '../../plan/effects/talos-config.js';
import type { StepContext } from './context.js';
import { etcdLag } from './etcd-lag.js';
import { adminOf, needMachines, notReadyBecause, readinessOf } from './machine-wait.js';
import { objectName, readNodeObject } from './node-object.js';

const LEASES: Resource<Lease> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** Several packets of any MTU, both ways. */
const PROOF_BYTES = 64 * 1024;

export interface CheckedNode {
  readonly node?: string;
  readonly ip: string;
  readonly role: 'controlplane' | 'worker';
  readonly components: readonly Component[];
}

/** How the node was before: what did not work then proves nothing afterwards. */
export interface Baseline {
  readonly lease: string;
  readonly outside: 'time server' | 'registry' | 'unknown';
}

export interface Unhealthy {
  /** What the config broke, as far as it shows. */
  readonly part: Component;
  readonly why: string;
}

export async function baselineOf(node: CheckedNode, context: StepContext): Promise<Baseline> {
  const lease = await leaseOf(node, context);
  if (!node.components.includes('network')) return { lease, outside: 'unknown' };
  const time = await attempt(() => adminOf(context, node.ip).askTimeServer());
  if (time.known) return { lease, outside: 'time server' };
  const pull = await attempt(() => pullPause(node, context));
  return { lease, outside: pull.known ? 'registry' : 'unknown' };
}

/** `undefined`: all is well. The first thing that is not, from the wire upwards. */
export async function unhealthyPart(
  node: CheckedNode,
  before: Baseline,
  context: StepContext,
  config: string,
): Promise<Unhealthy | undefined> {
  const wire = await transferProblem({ node: node.node ?? '', ip: node.ip }, context, config);
  if (wire !== undefined) return { part: 'network', why: wire };
  const unready = notReadyBecause(await readinessOf(context, node.ip, node.role));
  if (unready !== undefined) return { part: partNamed(unready, node), why: unready };
  if (node.role === 'controlplane') {
    const kubernetes = context.kubernetes?.client;
    if (kubernetes && !(await kubernetes.ready(node.ip)))
      return { part: 'kube-apiserver', why: `no API server is ready at ${node.ip}` };
    const lag = await etcdLag((ip) => adminOf(context, ip).etcd, node.ip);
    if (lag !== undefined) return { part: 'network', why: lag };
  }
  const kubelet = await kubeletProblem(node, before, context);
  if (kubelet !== undefined) return { part: 'kubelet', why: kubelet };
  const outside = await outsideProblem(node, before, context);
  return outside === undefined ? undefined : { part: 'network', why: outside };
}

/** Whether packets of full size pass both ways. A dry run changes nothing, and takes a comment of any length. */
export async function transferProblem(
  { node, ip }: { readonly node: string; readonly ip: string },
  context: StepContext,
  config = needMachines(context).configOf(node),
): Promise<string | undefined> {
  const why = await failure(() => proveTransfer(adminOf(context, ip), config));
  return why === undefined ? undefined : `64 KiB do not pass to the Talos API and back: ${why}`;
}

async function proveTransfer(talos: RunningTalos, config: string): Promise<void> {
  const padding = `# ${'x'.repeat(PROOF_BYTES)}\n`;
  // A Talos that does not know all of the config says so: it has read the whole of it.
  await talos.applyConfiguration(`${config}${padding}`, { mode: 'auto', dryRun: true }).catch((error) => {
    if (!isTalosError(error, 'talos.invalid')) throw error;
  });
  for (let received = 0; received < PROOF_BYTES; ) {
    const text = (await talos.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec;
    if (typeof text !== 'string' || text === '')
      throw new OxherdError('talos.failed', 'its config cannot be read');
    received += text.length;
  }
}

/** Talos names static pods and services in what it waits for. */
function partNamed(words: string, { components }: CheckedNode): Component {
  const named = COMPONENTS.find((name) => name !== 'network' && words.includes(name));
  return named ?? components[0] ?? 'network';
}

async function kubeletProblem(
  node: CheckedNode,
  before: Baseline,
  context: StepContext,
): Promise<string | undefined> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes || !(await kubernetes.ready())) return undefined;
  const object = await attempt(() => readNodeObject(kubernetes, node.node ?? ''));
  if (!object.known) return object.why;
  if (!isNodeReady(object.value)) return 'the node is not Ready';
  const lease = await leaseOf(node, context);
  return lease !== '' && lease === before.lease ? 'its lease has not been renewed yet' : undefined;
}

/** When the kubelet last renewed it, in the cluster's time; '' where it cannot be read. */
async function leaseOf({ node = '' }: CheckedNode, context: StepContext): Promise<string> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return '';
  const lease = await attempt(async () => {
    const name = objectName(node, await readNodeObject(kubernetes, node));
    return kubernetes.get(LEASES, name, 'kube-node-lease');
  });
  return lease.known ? String(lease.value?.spec?.renewTime ?? '') : '';
}

async function outsideProblem(
  node: CheckedNode,
  { outside }: Baseline,
  context: StepContext,
): Promise<string | undefined> {
  if (outside === 'unknown') return undefined;
  const why = await failure(() =>
    outside === 'time server' ? adminOf(context, node.ip).askTimeServer() : pullPause(node, context),
  );
  return why === undefined ? undefined : `nothing behind the gateway answers: ${why}`;
}

/** Small, and on every node already: only its manifest is asked for. */
const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10';

function pullPause({ ip }: CheckedNode, context: StepContext): Promise<void> {
  return adminOf(context, ip).pullImage(PAUSE_IMAGE, 'pod');
}

async function failure(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return OxherdError.from(error).message;
  }
}
