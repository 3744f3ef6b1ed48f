import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { powerOff, powerOn } from '../../support/power.js';
import { requireVm, StepError } from '../../support/read-vm.js';

/** Pending changes take effect when QEMU is started again; a reboot inside the guest does not do it. */
export const restartVm: Executor<'restart-vm'> = async (step, context) => {
  const { client } = context;
  const before = await requireVm(context, step.host, step.vmid);
  const { status } = await client.vmStatus(step.host, step.vmid);
  if (status === 'running' && Object.keys(before.pending).length === 0 && !step.asked) return ALREADY;
  await powerOff(context, step);
  await powerOn(context, step.host, step.vmid);
  const left = Object.keys((await requireVm(context, step.host, step.vmid)).pending);
  if (left.length > 0) {
    throw new StepError(
      'apply.still-pending',
      `VM ${step.vmid} was restarted, but ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} still pending`,
      {
        advice: 'see the Hardware page of the VM in Proxmox',
      },
    );
  }
  return DONE;
};
