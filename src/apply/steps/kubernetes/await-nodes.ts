import type { Node } from 'kubernetes-types/core/v1.js';
import { DAEMON_SETS, DEPLOYMENTS, NODES } from '../../../clients/kubernetes/resources.js';
import { isNodeReady } from '../../../observe/readiness.js';
import { awaitCluster, needCluster } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor } from '../../support/context.js';
import { pickNodeObject } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';

const READY_TIMEOUT_MS = 20 * 60_000;

export const awaitNodes: Executor<'await-nodes'> = async (step, context) => {
  const { client } = needCluster(context);
  let asked = 0;
  await awaitCluster(
    context,
    {
      timeoutMs: READY_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.nodes-not-ready', `not all nodes are Ready: ${last}`, {
          advice: 'see `oxherd status` and `kubectl describe node`; then run apply again',
        }),
    },
    async (waiting) => {
      asked += 1;
      const nodes = await client.list(NODES);
      const missing = step.nodes.filter((name) => !isNodeReady(pickNodeObject(name, nodes)));
      await forget(client, formerNames(nodes, step.nodes));
      const starting = missing.length > 0 ? missing : await startingSystem(client);
      if (starting.length === 0) return true;
      waiting(`waiting for ${starting.join(', ')}`);
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};

/** A machine that is Ready under the name in oxherd.yaml has left its other names for good. */
function formerNames(nodes: readonly Node[], names: readonly string[]): Node[] {
  const wanted = names.flatMap((name) => pickNodeObject(name, nodes) ?? []);
  const uuid = (node: Node) => (node.status?.nodeInfo?.systemUUID ?? '').toLowerCase();
  // A kubelet that has not told its uuid yet is no machine that could be known again.
  const machines = new Set(
    wanted
      .filter(isNodeReady)
      .map(uuid)
      .filter((one) => one !== ''),
  );
  return nodes.filter((node) => !wanted.includes(node) && !isNodeReady(node) && machines.has(uuid(node)));
}

async function forget(client: ClusterAccess['client'], nodes: readonly Node[]): Promise<void> {
  for (const { metadata } of nodes) {
    const { name = '', uid } = metadata ?? {};
    await client.delete(NODES, name, { ...(uid !== undefined && { uid }) });
  }
}

/** Names and network of the cluster: nothing else works without them. */
const SYSTEM: readonly string[] = ['coredns', 'cilium', 'cilium-operator', 'kube-proxy', 'kube-flannel'];

async function startingSystem(client: ClusterAccess['client']): Promise<string[]> {
  const [deployments, daemonSets] = await Promise.all([
    client.list(DEPLOYMENTS, { namespace: 'kube-system' }),
    client.list(DAEMON_SETS, { namespace: 'kube-system' }),
  ]);
  const lacking = [
    ...deployments.filter(({ spec, status }) => (status?.availableReplicas ?? 0) < (spec?.replicas ?? 1)),
    ...daemonSets.filter(
      ({ status }) => (status?.numberAvailable ?? 0) < (status?.desiredNumberScheduled ?? 1),
    ),
  ];
  return lacking.map(({ metadata }) => metadata?.name ?? '').filter((name) => SYSTEM.includes(name));
}
