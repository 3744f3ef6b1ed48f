import { attempt } from '../../../observe/attempt.js';
import type { StepOf } from '../../../plan/steps.js';
import { requireSameEtcd } from '../../guard/etcd-quorum.js';
import { permitRemoval } from '../../guard/guard.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { adminOf } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';
import { noteEtcd } from '../../support/vm-notes.js';

/**
 * By id, and only while a majority stays. That its disk must never come back is written down first: a run that is cut
 * off right after the removal would leave a disk that looks like any other.
 */
export const removeMember: Executor<'remove-member'> = async (step, context) => {
  const through = await healthyMember(step.staying, context);
  const members = await through.etcd.members();
  const id = BigInt(`0x${step.memberId}`);
  requireSameEtcd(step, members, context);
  await requireSilence(step, context);
  if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'removed', memberId: step.memberId });
  if (!members.some((member) => member.id === id)) return ALREADY;
  const voters = members.filter((member) => !member.learner).length;
  await through.down.removeMember(await permitRemoval(context, step, voters), id);
  if ((await through.etcd.members()).some((member) => member.id === id)) {
    throw new StepError('apply.member-stays', `etcd still lists member ${step.memberId} of ${step.node}`, {
      advice: 'see `oxherd status`, then run it again',
    });
  }
  return DONE;
};

/** No VM of the cluster is its machine. If it answers all the same, it is alive. */
async function requireSilence(
  { memberId, addresses = [] }: StepOf<'remove-member'>,
  context: StepContext,
): Promise<void> {
  for (const address of addresses) {
    const status = await attempt(() => adminOf(context, address).etcd.status());
    if (status.known && status.value.memberId.toString(16) === memberId)
      throw new StepError('apply.member-lives', `etcd member ${memberId} answers at ${address}`, {
        advice: 'it was left unchanged; find out which machine that is, then run plan again',
      });
  }
}

async function healthyMember(staying: readonly { readonly ip: string }[], context: StepContext) {
  for (const { ip } of staying) {
    const talos = adminOf(context, ip);
    const status = await attempt(() => talos.etcd.status());
    if (status.known && status.value.leader !== 0n && !status.value.learner) return talos;
  }
  throw new StepError('guard.quorum', 'no other control plane has an etcd with a leader', {
    advice: 'repair the other members first; see `oxherd status`',
  });
}
