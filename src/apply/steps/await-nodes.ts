import { DAEMON_SETS, DEPLOYMENTS, NODES } from '../../clients/kubernetes/resources.js';
import { awaitCluster, needCluster } from './cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor } from './context.js';
import { StepError } from './vm-now.js';

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
      const isReady = (name: string) =>
        nodes
          .find((node) => node.metadata?.name === name || node.metadata?.name === name.split('.')[0])
          ?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
      const missing = step.nodes.filter((name) => !isReady(name));
      if (missing.length > 0) {
        waiting(`waiting for ${missing.join(', ')}`);
        return undefined;
      }
      const starting = await startingSystem(client);
      if (starting.length === 0) return true;
      waiting(`waiting for ${starting.join(', ')}`);
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};

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
