/** Waits until a node may be disrupted, then cordons and drains it. The request that takes it down asks the guard again. */
import { attempt } from '../../../observe/attempt.js';
import type { StepOf } from '../../../plan/steps.js';
import { memberKey } from '../../guard/etcd-quorum.js';
import { awaitTurn } from '../../guard/guard.js';
import { DONE, type Executor, type StepContext } from '../../support/context.js';
import { drainNode } from '../../support/drain-node.js';
import { requireHost } from '../../support/host-preflight.js';
import { adminOf } from '../../support/machine-wait.js';

export const beginDisruption: Executor<'begin-disruption'> = async (step, context) => {
  if (step.role === 'controlplane') {
    const member = await memberOf(step, context);
    if (member !== undefined && !step.newMember) context.memory.set(memberKey(step.node), member);
  }
  const { api } = await awaitTurn({ kind: 'roll', step }, context);
  if (step.start) await requireHost(step.start, `refusing to disrupt ${step.node}`, context);
  if (step.role === 'controlplane')
    await context.snapshots?.ensureFresh(step.controlPlanes, context.progress);
  const warnings = api ? await drainNode(step, context) : notDrained(step, context);
  if (step.role === 'controlplane') await forfeitLeadership(step, context);
  return { ...DONE, warnings };
};

/** The plan was confirmed without the API. */
function notDrained({ drain, node }: StepOf<'begin-disruption'>, { kubernetes }: StepContext): string[] {
  return drain && kubernetes ? [`${node} was not drained: the Kubernetes API does not answer`] : [];
}

/** By which it is known again when it is back. */
async function memberOf(step: StepOf<'begin-disruption'>, context: StepContext): Promise<string | undefined> {
  const status = await attempt(() => adminOf(context, step.ip).etcd.status());
  return status.known ? status.value.memberId.toString(16) : undefined;
}

/** Saves the election that follows when a leader disappears. */
async function forfeitLeadership(step: StepOf<'begin-disruption'>, context: StepContext): Promise<void> {
  const talos = adminOf(context, step.ip);
  const status = await attempt(() => talos.etcd.status());
  if (!status.known || status.value.leader !== status.value.memberId || step.controlPlanes.length < 2) return;
  context.progress('passing on the leadership of etcd');
  await attempt(() => talos.etcd.forfeitLeadership());
}
