/** Scale-down in one order: guard, cordon, drain, guard, etcd leave, node object. The VM goes after that. */
import type { KubernetesClient } from '../../../clients/kubernetes/client.js';
import { NODES } from '../../../clients/kubernetes/resources.js';
import { attempt } from '../../../observe/attempt.js';
import { readUuid } from '../../../observe/observe-machines.js';
import { isNodeReady } from '../../../observe/readiness.js';
import type { StepOf } from '../../../plan/steps.js';
import { cordon, cordonAndDrain } from '../../drain.js';
import { requireSameEtcd } from '../../guard/etcd-quorum.js';
import { awaitTurn, permitLeave } from '../../guard/guard.js';
import { whenApiAnswers } from '../../support/cluster-wait.js';
import { DONE, type Executor, type StepContext } from '../../support/context.js';
import { adminOf } from '../../support/machine-wait.js';
import { nodeObjectOfMachine, objectName } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';
import { notedOn, noteEtcd } from '../../support/vm-notes.js';

export const retireNode: Executor<'retire-node'> = async (step, context) => {
  const warnings: string[] = [];
  const kubernetes = context.kubernetes?.client;
  const { api } = await awaitTurn({ kind: 'retire', step }, context);
  if (kubernetes && api) warnings.push(...(await drainNode(step, context, kubernetes)));
  else if (kubernetes) warnings.push(`${step.node} was not drained: the Kubernetes API does not answer`);
  if (step.role === 'controlplane') await leaveEtcd(step, context);
  if (kubernetes) warnings.push(...(await forgetNode(step, context, kubernetes)));
  return { ...DONE, warnings };
};

async function drainNode(
  step: StepOf<'retire-node'>,
  context: StepContext,
  kubernetes: KubernetesClient,
): Promise<string[]> {
  const name = step.node ?? '';
  const around = { kubernetes, clock: context.clock, progress: context.progress, signal: context.signal };
  const node = await nodeObjectOfMachine(kubernetes, step.uuid);
  if (!node) return [];
  if (!isNodeReady(node)) {
    // A kubelet that is not there carries out no eviction, and what it had is gone already.
    await cordon(around, objectName(name, node));
    return [`${name} was not drained: it is not Ready`];
  }
  const drained = await cordonAndDrain(around, objectName(name, node), step.drain);
  return drained === 'lost' ? [`${name} was not drained completely: it is no longer Ready`] : [];
}

/** Removes the Node object: a node that is gone would count as unavailable for ever. */
async function forgetNode(
  step: StepOf<'retire-node'>,
  context: StepContext,
  kubernetes: KubernetesClient,
): Promise<string[]> {
  const name = step.node ?? '';
  const forget = async () => {
    const node = await nodeObjectOfMachine(kubernetes, step.uuid);
    const uid = node?.metadata?.uid;
    if (node) await kubernetes.delete(NODES, objectName(name, node), { ...(uid !== undefined && { uid }) });
  };
  if (!step.apiDown || (await kubernetes.ready())) {
    await whenApiAnswers(context, `${name} was not removed from Kubernetes`, forget);
    return [];
  }
  return [
    `the Node object of ${name} was not removed: the Kubernetes API does not answer; when it does, run: kubectl delete node ${name}`,
  ];
}

/** By itself if it answers: that empties its data directory. Otherwise the others remove it by its id. */
async function leaveEtcd(step: StepOf<'retire-node'>, context: StepContext): Promise<void> {
  const first = step.staying[0];
  if (!first) return;
  const others = adminOf(context, first.ip);
  const listed = await others.etcd.members();
  // Empty: etcd started again by this plan, and the machine that leaves was in the one before.
  if (step.members.length > 0) requireSameEtcd(step, listed, context);
  const own = await ownEtcd(step, context);
  const isListed = async (id: bigint) => (await others.etcd.members()).some((member) => member.id === id);
  const memberId = step.memberId === undefined ? undefined : BigInt(`0x${step.memberId}`);
  if (own && own.memberId !== memberId && listed.some(({ id }) => id === own.memberId))
    throw joinedAgain(step);
  if (memberId === undefined || !listed.some(({ id }) => id === memberId)) {
    // Cut off after it left, or removed by someone else: what its disk holds is not known any more.
    if (step.dataVm && (await notedOn(context, step.dataVm)) === 'member')
      await noteEtcd(context, step.dataVm, { state: 'removed' });
    return;
  }
  await permitLeave(context, step, memberId);
  // The worse of the two first: a disk that is set aside for nothing is better than one that comes back.
  const noted = memberId.toString(16);
  if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'removed', memberId: noted });
  if (own) {
    await attempt(() => own.talos.etcd.forfeitLeadership());
    const permit = await permitLeave(context, step, memberId);
    const leaving = await attempt(() => own.talos.down.leaveEtcd(permit));
    if (leaving.known && !(await isListed(memberId))) {
      if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'left' });
      return;
    }
  }
  if (await isListed(memberId))
    await others.down.removeMember(await permitLeave(context, step, memberId), memberId);
}

/** The machine itself, if it answers: an address is not an identity. */
async function ownEtcd({ ip, uuid }: StepOf<'retire-node'>, context: StepContext) {
  if (ip === undefined || uuid === undefined) return undefined;
  const talos = adminOf(context, ip);
  const seen = await attempt(() => readUuid(talos));
  if (!seen.known || seen.value !== uuid) return undefined;
  const status = await attempt(() => talos.etcd.status());
  return status.known ? { talos, memberId: status.value.memberId } : undefined;
}

function joinedAgain({ node, vmid }: StepOf<'retire-node'>): StepError {
  return new StepError(
    'apply.member-differs',
    `VM ${vmid} (${node}) is another member of etcd than the plan saw`,
    { advice: 'nothing was removed from etcd; run plan again' },
  );
}
