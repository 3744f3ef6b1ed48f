import { NODES } from '../../../clients/kubernetes/resources.js';
import { isNodeReady } from '../../../observe/readiness.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

/** Kubernetes notices within a minute that no one renews the lease of the old name. */
const SILENT_TIMEOUT_MS = 5 * 60_000;

/** The object of a name that a machine had before: removed once no one speaks for it any more. */
export const forgetNode: Executor<'forget-node'> = async (step, context) => {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return ALREADY;
  return until(
    context,
    {
      timeoutMs: SILENT_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.node-lives', `${step.name} was not removed from Kubernetes: ${last}`, {
          advice: `a machine still calls itself ${step.name}; see \`oxherd status\`, then run apply again`,
        }),
    },
    async (waiting) => {
      const node = await kubernetes.get(NODES, step.name);
      if (!node) return ALREADY;
      if (node.status?.nodeInfo?.systemUUID.toLowerCase() !== step.uuid) {
        throw new StepError(
          'apply.node-differs',
          `${step.name} is another machine since the plan was created`,
          {
            advice: 'run plan again',
          },
        );
      }
      if (isNodeReady(node)) {
        waiting('its kubelet still reports');
        return undefined;
      }
      await kubernetes.delete(NODES, step.name);
      return DONE;
    },
  );
};
