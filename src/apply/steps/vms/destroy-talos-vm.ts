/** A Talos VM can be removed at any time: its data belongs to the data VM. */
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { destroyVm, powerOff } from '../../support/power.js';
import { checkOurs, findVm } from '../../support/read-vm.js';

export const destroyTalosVm: Executor<'destroy-talos-vm'> = async (step, context) => {
  const there = await findVm(context, step.host, step.vmid);
  if (!there) return ALREADY;
  checkOurs(context, step.vmid, there, 'talos');
  await powerOff(context, step);
  await destroyVm(context, step.host, step.vmid);
  return DONE;
};
