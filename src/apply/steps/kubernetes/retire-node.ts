/** Scale-down in one order: quorum check, cordon, drain, etcd leave, node object. The VM goes after that. */
import { NODES } from '../../../clients/kubernetes/resources.js';
import { isMemberOf } from '../../../model/node-names.js';
import { attempt } from '../../../observe/attempt.js';
import { isNodeReady } from '../../../observe/readiness.js';
import type { StepOf } from '../../../plan/steps.js';
import { awaitDisruptionBudget, awaitGates } from '../../disruption-budget.js';
import { cordon, cordonAndDrain } from '../../drain.js';
import { DONE, type Executor, type StepContext } from '../../support/context.js';
import { adminOf, detailsOf, until } from '../../support/machine-wait.js';
import { objectName, readNodeObject } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';
import { notedOn, noteEtcd } from '../../support/vm-notes.js';

const CATCH_UP_MS = 5 * 60_000;

export const retireNode: Executor<'retire-node'> = async (step, context) => {
  const warnings: string[] = [];
  if (step.role === 'controlplane') await checkOthers(step, context);
  const kubernetes = context.kubernetes?.client;
  const name = step.node ?? '';
  if (kubernetes && (await kubernetes.ready())) {
    const around = { kubernetes, clock: context.clock, progress: context.progress, signal: context.signal };
    const node = await readNodeObject(kubernetes, name);
    if (node && isNodeReady(node)) {
      // Its pods go elsewhere: a disruption like any other, and the last one must be over.
      await awaitDisruptionBudget({ node: name, others: step.others, maxAway: 1 }, context, kubernetes);
      await awaitGates(step.gates, `refusing to remove ${name}`, context, kubernetes);
      const drained = await cordonAndDrain(around, objectName(name, node), step.drain);
      if (drained === 'lost') warnings.push(`${name} was not drained completely: it is no longer Ready`);
    } else if (node) {
      // A kubelet that is not there carries out no eviction, and what it had is gone already.
      await cordon(around, objectName(name, node));
      warnings.push(`${name} was not drained: it is not Ready`);
    }
  } else if (kubernetes) warnings.push(`${name} was not drained: the Kubernetes API does not answer`);
  if (step.role === 'controlplane') await leaveEtcd(step, context);
  if (kubernetes && (await kubernetes.ready())) {
    const node = await readNodeObject(kubernetes, name);
    const uid = node?.metadata?.uid;
    if (node) await kubernetes.delete(NODES, objectName(name, node), { ...(uid !== undefined && { uid }) });
  }
  return { ...DONE, warnings };
};

/** Those that stay must be a healthy etcd of their own; one that has just joined is given time to catch up. */
async function checkOthers(step: StepOf<'retire-node'>, context: StepContext): Promise<void> {
  const { staying } = step;
  let healthy = 0;
  await until(
    context,
    {
      timeoutMs: CATCH_UP_MS,
      timeout: () =>
        new StepError(
          'guard.quorum',
          `refusing to remove ${step.node}: ${healthy} of the ${staying.length} remaining control planes are healthy, and all must be`,
          { advice: 'repair the others first; see `oxherd status`' },
        ),
    },
    async (waiting) => {
      const views = await Promise.all(staying.map(({ ip }) => isHealthy(ip, context)));
      healthy = views.filter(Boolean).length;
      if (staying.length > 0 && healthy === staying.length) return true;
      waiting(`waiting for the control planes that stay: ${healthy} of ${staying.length} are healthy`);
      return undefined;
    },
  );
}

async function isHealthy(ip: string, context: StepContext): Promise<boolean> {
  const details = await attempt(() => detailsOf(context, ip, 'controlplane'));
  const etcd = details.known ? details.value.etcd : undefined;
  return etcd?.known === true && !etcd.value.learner && etcd.value.leader !== '';
}

/** By itself if it answers: that empties its data directory. Otherwise the others remove it by its id. */
async function leaveEtcd(step: StepOf<'retire-node'>, context: StepContext): Promise<void> {
  const first = step.staying[0];
  if (!first) return;
  const others = adminOf(context, first.ip);
  const findMember = async () =>
    (await others.etcd.members()).find((member) => isMemberOf(step.node ?? '', member.hostname));
  const member = await findMember();
  if (!member) {
    // Cut off after it left, or removed by someone else: what its disk holds is not known any more.
    if (step.dataVm && (await notedOn(context, step.dataVm)) === 'member')
      await noteEtcd(context, step.dataVm, { state: 'removed' });
    return;
  }
  // The worse of the two first: a disk that is set aside for nothing is better than one that comes back.
  const memberId = member.id.toString(16);
  if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'removed', memberId });
  if (step.ip !== undefined) {
    const own = adminOf(context, step.ip);
    await attempt(() => own.etcd.forfeitLeadership());
    const leaving = await attempt(() => own.etcd.leave());
    if (leaving.known && !(await findMember())) {
      if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'left' });
      return;
    }
  }
  const left = await findMember();
  if (left) await others.etcd.removeById(left.id);
}
