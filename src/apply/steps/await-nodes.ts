import { NODES } from '../../clients/kubernetes/resources.js';
import { awaitCluster, needCluster } from './cluster-wait.js';
import { ALREADY, DONE, type Executor } from './context.js';
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
      if (missing.length === 0) return true;
      waiting(`waiting for ${missing.join(', ')}`);
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};
