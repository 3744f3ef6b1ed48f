import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { newDriveParam } from '../../support/drive-params.js';
import { driveByWwn, lostSlot, requireVm, verifyFailed } from '../../support/read-vm.js';

/** `storage:SIZE` on a taken slot would allocate another disk each time: the slot is known to be free first. */
export const addDrive: Executor<'add-drive'> = async (step, context) => {
  const { client } = context;
  const { drive, vmid, host } = step;
  const state = await requireVm(context, host, vmid);
  if (driveByWwn(state, drive.wwn)) return ALREADY;
  const holder = state.values[drive.slot];
  if (holder !== undefined) throw lostSlot(vmid, drive.slot, holder);
  await client.runTask(() =>
    client.updateVmTask(host, vmid, {
      set: { [drive.slot]: newDriveParam(drive), description: step.description },
      digest: state.digest,
    }),
  );
  if (!driveByWwn(await requireVm(context, host, vmid), drive.wwn))
    throw verifyFailed(`data VM ${vmid} has no disk ${drive.name}`);
  return DONE;
};
