import { Code } from '@connectrpc/connect';
import type { HealthCheckRequest } from '../../../clients/talos/gen/cluster/cluster_pb.js';
import type { Machine } from '../machine/machine.js';
import { staticPods } from '../machine/machine-status.js';
import { discoveredMembers } from '../network/discovery.js';
import { etcdHealthy } from '../services/services.js';
import { fail } from './caller.js';

/** Talos' own checks of a cluster, in its order and words (pkg/cluster/check/default.go). */

/** A node that is asked for; a machine is there while it runs. */
interface CheckedNode {
  readonly ip: string;
  readonly machine: Machine | undefined;
}

interface Check {
  readonly what: string;
  /** What is wrong; `undefined`: nothing, `SKIP`: not checked here. */
  readonly problem: (nodes: CheckedNodes) => string | undefined;
}

interface CheckedNodes {
  readonly all: readonly CheckedNode[];
  readonly controlPlanes: readonly CheckedNode[];
}

const SKIPPED = 'SKIP';
const POLL_MS = 1_000;
const USUAL_TIMEOUT_MS = 20 * 60_000;

export async function* healthCheck(machine: Machine, request: HealthCheckRequest, signal: AbortSignal) {
  const { clock } = machine.room.core;
  const timeout = request.waitTimeout ? Number(request.waitTimeout.seconds) * 1000 : USUAL_TIMEOUT_MS;
  const end = clock.now() + timeout;
  const addresses = checkedAddresses(machine, request);
  const quoted = [...addresses.controlPlanes, ...addresses.workers].map((ip) => JSON.stringify(ip));
  yield { message: `discovered nodes: [${quoted.join(' ')}]` };
  const find = (ip: string): CheckedNode => ({ ip, machine: machine.room.machineAt(ip) });
  for (const { what, problem } of CHECKS) {
    let told = '...';
    yield { message: `waiting for ${what}: ...` };
    for (;;) {
      const controlPlanes = addresses.controlPlanes.map(find);
      const found = problem({ controlPlanes, all: [...controlPlanes, ...addresses.workers.map(find)] });
      if (found === undefined || found === SKIPPED) {
        yield { message: `waiting for ${what}: ${found ?? 'OK'}` };
        break;
      }
      if (found !== told) yield { message: `waiting for ${what}: ${found}` };
      told = found;
      if (signal.aborted || clock.now() >= end) fail(Code.DeadlineExceeded, 'context deadline exceeded');
      await clock.sleep(POLL_MS);
    }
  }
}

/** Those of the request, else the members that discovery knows. */
function checkedAddresses(machine: Machine, { clusterInfo }: HealthCheckRequest) {
  const controlPlanes = clusterInfo?.controlPlaneNodes ?? [];
  const workers = clusterInfo?.workerNodes ?? [];
  if (controlPlanes.length > 0 || workers.length > 0) return { controlPlanes, workers };
  const members = discoveredMembers(machine).map(({ spec }) => spec);
  const of = (type: string) =>
    members.filter(({ machineType }) => machineType === type).map(({ addresses }) => addresses[0] ?? '');
  return { controlPlanes: of('controlplane'), workers: of('worker') };
}

const runs = (service: string) => (machine: Machine) => {
  const state = machine.service(service);
  if (state?.state !== 'Running')
    return `service "${service}" not in expected state "Running": current state [${state?.state ?? 'absent'}] ${state?.message ?? ''}`;
  return state.healthy ? undefined : `service is not healthy: ${service}`;
};

/** The same condition for each of some nodes; one that does not answer fails it. */
function each(
  nodes: readonly CheckedNode[],
  problem: (machine: Machine) => string | undefined,
): string | undefined {
  const problems = nodes.flatMap(({ ip, machine }) => {
    const found = machine ? problem(machine) : 'rpc error: code = Unavailable desc = connection refused';
    return found === undefined ? [] : [`${ip}: ${found}`];
  });
  if (problems.length === 0) return undefined;
  const head = problems.length === 1 ? '1 error occurred:' : `${problems.length} errors occurred:`;
  return `${head}\n\t* ${problems.join('\n\t* ')}\n\n`;
}

function nodeReady(machine: Machine): string | undefined {
  const cluster = machine.facts?.cluster.id ?? '';
  const ready = machine.room.kubernetes?.nodeReady(cluster, machine.nodeName) ?? true;
  return ready ? undefined : `some nodes are not ready: [${machine.nodeName}]`;
}

/** Pods by the beginning of their names: a kind that has none is not checked. */
function podsReady(nodes: readonly CheckedNode[], prefix: string): string | undefined {
  const pods = nodes.flatMap(({ machine }) => {
    const cluster = machine?.facts?.cluster.id;
    if (!machine || cluster === undefined) return [];
    return machine.room.kubernetes?.podsOn?.(cluster, machine.nodeName) ?? [];
  });
  const wanted = pods.filter(({ name }) => name.startsWith(prefix));
  if (wanted.length === 0) return SKIPPED;
  const waiting = wanted.filter(({ containers }) => containers.some(({ running }) => !running));
  return waiting.length === 0
    ? undefined
    : `some pods are not ready: [${waiting.map(({ name }) => name).join(' ')}]`;
}

const CHECKS: readonly Check[] = [
  { what: 'etcd to be healthy', problem: ({ controlPlanes }) => each(controlPlanes, runs('etcd')) },
  {
    what: 'etcd members to be consistent across nodes',
    problem: ({ controlPlanes }) =>
      each(controlPlanes, (machine) => (etcdHealthy(machine) ? undefined : 'etcd member list is not known')),
  },
  {
    what: 'etcd members to be control plane nodes',
    problem({ controlPlanes }) {
      const [first] = controlPlanes.flatMap(({ machine }) => machine?.etcdData ?? []);
      const members = controlPlanes[0]?.machine?.room.etcd.get(first?.clusterId ?? '')?.members ?? [];
      const extra = members.filter(({ ip }) => !controlPlanes.some((node) => node.ip === ip));
      return extra.length === 0
        ? undefined
        : `etcd member ips [${extra.map(({ ip }) => JSON.stringify(ip)).join(' ')}] are not subset of control plane node ips`;
    },
  },
  { what: 'apid to be ready', problem: ({ all }) => each(all, runs('apid')) },
  { what: 'all nodes memory sizes', problem: () => undefined },
  { what: 'all nodes disk sizes', problem: () => undefined },
  { what: 'no diagnostics', problem: () => undefined },
  { what: 'kubelet to be healthy', problem: ({ all }) => each(all, runs('kubelet')) },
  {
    what: 'all nodes to finish boot sequence',
    problem: ({ all }) =>
      each(all, ({ record }) =>
        record.stage === 'running' ? undefined : `machine stage is ${record.stage}`,
      ),
  },
  { what: 'all k8s nodes to report', problem: ({ all }) => each(all, nodeReady) },
  {
    what: 'all control plane static pods to be running',
    problem: ({ controlPlanes }) =>
      each(controlPlanes, (machine) => {
        const pods = staticPods(machine);
        const waiting = pods.filter(({ ready }) => !ready).map(({ name }) => `kube-system/${name}`);
        if (pods.length > 0 && waiting.length === 0) return undefined;
        return `missing static pods on node: [${waiting.join(' ')}]`;
      }),
  },
  {
    what: 'all control plane components to be ready',
    problem: ({ controlPlanes }) =>
      each(controlPlanes, (machine) =>
        staticPods(machine).every(({ ready }) => ready)
          ? undefined
          : 'can not confirm control plane readiness',
      ),
  },
  { what: 'all k8s nodes to report ready', problem: ({ all }) => each(all, nodeReady) },
  { what: 'kube-proxy to report ready', problem: ({ all }) => podsReady(all, 'kube-proxy-') },
  { what: 'coredns to report ready', problem: ({ all }) => podsReady(all, 'coredns-') },
  { what: 'all k8s nodes to report schedulable', problem: ({ all }) => each(all, nodeReady) },
];
