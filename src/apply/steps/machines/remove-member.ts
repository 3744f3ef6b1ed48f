import { attempt } from '../../../observe/attempt.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { adminOf, detailsOf } from '../../support/machine-wait.js';
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
  if (step.dataVm) await noteEtcd(context, step.dataVm, { state: 'removed', memberId: step.memberId });
  if (!members.some((member) => member.id === id)) return ALREADY;
  await checkMajority(step, context, members.filter((member) => !member.learner).length);
  await through.etcd.removeById(id);
  if ((await through.etcd.members()).some((member) => member.id === id)) {
    throw new StepError('apply.member-stays', `etcd still lists member ${step.memberId} of ${step.node}`, {
      advice: 'see `oxherd status`, then run it again',
    });
  }
  return DONE;
};

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

async function checkMajority(
  step: { readonly node?: string; readonly staying: readonly { readonly ip: string }[] },
  context: StepContext,
  voters: number,
): Promise<void> {
  const views = await Promise.all(
    step.staying.map(({ ip }) => attempt(() => detailsOf(context, ip, 'controlplane'))),
  );
  const healthy = views.filter((view) => {
    const etcd = view.known ? view.value.etcd : undefined;
    if (!etcd?.known) return false;
    const { memberId, members, learner, leader } = etcd.value;
    return leader !== '' && !learner && members.some((member) => member.id === memberId);
  }).length;
  const needed = Math.floor(voters / 2) + 1;
  if (healthy >= needed) return;
  throw new StepError(
    'guard.quorum',
    `the etcd member of ${step.node} stays: ${needed} of ${voters} members must agree to its removal, and without it ${healthy} ${healthy === 1 ? 'is' : 'are'} healthy`,
    { advice: 'repair the other members first; see `oxherd status`' },
  );
}
