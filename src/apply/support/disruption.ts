/** Before and after a node is away. */

import { attempt } from '../../observe/attempt.js';
import { isNodeReady } from '../../observe/node-ready.js';
import type { StepOf } from '../../plan/steps.js';
import { awaitDisruptionBudget, awaitGates } from '../disruption-budget.js';
import { cordon, cordonAndDrain, uncordon } from '../drain.js';
import { DONE, type Executor, type StepContext } from './context.js';
import { etcdLag } from './etcd-lag.js';
import { adminOf, notReadyBecause, readinessOf, until } from './machine-wait.js';
import { objectName, readNodeObject } from './node-object.js';
import { awaitQuorum } from './quorum.js';
import { StepError } from './read-vm.js';

const BACK_TIMEOUT_MS = 20 * 60_000;

export const beginDisruption: Executor<'begin-disruption'> = async (step, context) => {
  const kubernetes = context.kubernetes?.client;
  if (step.role === 'controlplane') {
    const member = await memberOf(step, context);
    if (member !== undefined && !step.newMember) context.memory.set(memberKey(step.node), member);
    if (!step.outage) await awaitQuorum(step, context);
  }
  // Without an API server nothing is known of the others; that is said below.
  if (kubernetes && (await kubernetes.ready())) {
    await awaitDisruptionBudget(step, context, kubernetes);
    await awaitGates(step.gates, `refusing to disrupt ${step.node}`, context, kubernetes);
  }
  if (step.role === 'controlplane')
    await context.snapshots?.ensureFresh(step.controlPlanes, context.progress);
  const warnings = await empty(step, context);
  if (step.role === 'controlplane') await passLeadership(step, context);
  return { ...DONE, warnings };
};

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
  await uncordonWhenReady(step, context);
  const kubernetes = context.kubernetes?.client;
  if (kubernetes) await awaitGates(step.gates ?? [], `${step.node} is back`, context, kubernetes);
  return DONE;
};

/** Cordoned and drained, as far as there is a Kubernetes to ask. */
async function empty(step: StepOf<'begin-disruption'>, context: StepContext): Promise<string[]> {
  const kubernetes = context.kubernetes?.client;
  if (!step.drain || !kubernetes) return [];
  if (!(await kubernetes.ready()))
    return [`${step.node} was not drained: the Kubernetes API does not answer`];
  const around = { kubernetes, clock: context.clock, progress: context.progress, signal: context.signal };
  const node = await readNodeObject(kubernetes, step.goesAs ?? step.node ?? '');
  const name = objectName(step.goesAs ?? step.node ?? '', node);
  if (!isNodeReady(node)) {
    // A kubelet that is not there carries out no eviction.
    await cordon(around, name);
    return [`${name} was not drained: it is not Ready`];
  }
  await cordonAndDrain(around, name, step.drain);
  return [];
}

/** Once the node is Ready, and only if it was we who cordoned it. */
async function uncordonWhenReady(step: StepOf<'end-disruption'>, context: StepContext): Promise<void> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return;
  const name = step.node ?? '';
  const object = await until(
    context,
    {
      timeoutMs: BACK_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.not-back', `${name} is back, but not Ready in Kubernetes: ${last}`, {
          advice: 'the nodes after it were left alone; see `oxherd status`, then run apply again',
        }),
    },
    async (waiting) => {
      const node = await attempt(() => readNodeObject(kubernetes, name));
      if (node.known && isNodeReady(node.value)) return objectName(name, node.value);
      waiting(node.known ? 'the node is not Ready' : node.why);
      return undefined;
    },
  );
  await uncordon({ kubernetes, clock: context.clock, progress: context.progress }, object);
}

/** By which it is known again when it is back. */
async function memberOf(step: StepOf<'begin-disruption'>, context: StepContext): Promise<string | undefined> {
  const status = await attempt(() => adminOf(context, step.ip).etcd.status());
  return status.known ? status.value.memberId.toString(16) : undefined;
}

function memberKey(node: string | undefined): string {
  return `etcd-member ${node}`;
}

/** A leader that is gone is missed for an election; one that passed on its office is not. */
async function passLeadership(step: StepOf<'begin-disruption'>, context: StepContext): Promise<void> {
  const talos = adminOf(context, step.ip);
  const status = await attempt(() => talos.etcd.status());
  if (!status.known || status.value.leader !== status.value.memberId || step.controlPlanes.length < 2) return;
  context.progress('passing on the leadership of etcd');
  await attempt(() => talos.etcd.forfeitLeadership());
}
