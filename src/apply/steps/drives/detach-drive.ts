import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { driveByWwn, lostSlot, requireVm, verifyFailed } from '../../support/read-vm.js';

/** From the Talos VM alone: the volume is its data VM's, so nothing but the line goes. */
export const detachDrive: Executor<'detach-drive'> = async (step, context) => {
  const { vmid, host, slot, wwn } = step;
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (!there) return ALREADY;
  if (there.slot !== slot || there.file !== step.volume) throw lostSlot(vmid, slot, there.file);
  await context.client.updateVm(host, vmid, { delete: [slot], digest: state.digest });
  if (driveByWwn(await requireVm(context, host, vmid), wwn))
    throw verifyFailed(`${slot} of VM ${vmid} is still there`);
  return DONE;
};
