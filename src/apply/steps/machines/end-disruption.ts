/** Waits until the node is Ready again as the member it was, and uncordons it. */
import { memberKey } from '../../guard/etcd-quorum.js';
import { awaitGates } from '../../guard/gates.js';
import { endTurn } from '../../guard/guard.js';
import { DONE, type Executor } from '../../support/context.js';
import { uncordonWhenReady } from '../../support/drain-node.js';
import { etcdLag } from '../../support/etcd-lag.js';
import { adminOf, notReadyBecause, readinessOf, until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const BACK_TIMEOUT_MS = 20 * 60_000;

export const endDisruption: Executor<'end-disruption'> = async (step, context) => {
  const memberBefore = context.memory.get(memberKey(step.node));
  await until(
    context,
    {
      timeoutMs: BACK_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.not-back', `${step.node} did not come back: ${last}`, {
          where: `VM ${step.vmid}`,
          advice: `the nodes after it were left alone; look at its console and at \`oxherd status\`, then run apply again`,
        }),
    },
    async (waiting) => {
      const details = await readinessOf(context, step.ip, step.role);
      const why = notReadyBecause(details);
      if (why !== undefined) {
        waiting(why);
        return undefined;
      }
      const member = details.etcd?.known ? details.etcd.value.memberId : undefined;
      if (memberBefore !== undefined && member !== memberBefore) {
        throw new StepError(
          'apply.other-member',
          `${step.node} returned as another etcd member (${member}, before: ${memberBefore})`,
          {
            advice: 'its data disk is not the one it had: stop here and look at `oxherd volumes list`',
          },
        );
      }
      const behind =
        step.role === 'controlplane' ? await etcdLag((ip) => adminOf(context, ip).etcd, step.ip) : undefined;
      if (behind === undefined) return true;
      waiting(behind);
      return undefined;
    },
  );
  const kubernetes = context.kubernetes?.client;
  if (kubernetes && step.apiDown && !(await kubernetes.ready())) {
    endTurn(context, step.node);
    return { ...DONE, warnings: [`${step.node} is back; the Kubernetes API still does not answer`] };
  }
  await uncordonWhenReady(step.node ?? '', context);
  endTurn(context, step.node);
  if (kubernetes) await awaitGates(step.gates ?? [], `${step.node} is back`, context, kubernetes);
  return DONE;
};
