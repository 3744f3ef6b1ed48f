import { storageOfVolume } from '../../../formats/proxmox/drive-slots.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { driveByWwn, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** On the data VM, so that the copy is the data VM's; its Talos VM is down and has let go of the disk. */
export const moveDrive: Executor<'move-drive'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, wwn, storage } = step;
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (!there)
    throw new StepError('apply.drive-gone', `data VM ${vmid} has no disk ${wwn}`, {
      advice: 'run plan again',
    });
  if (storageOfVolume(there.file) === storage) return ALREADY;
  await client.runTask(() =>
    client.moveDisk(host, vmid, { disk: there.slot, storage, delete: true, digest: state.digest }),
  );
  const moved = driveByWwn(await requireVm(context, host, vmid), wwn);
  if (!moved || storageOfVolume(moved.file) !== storage)
    throw verifyFailed(`${there.slot} of VM ${vmid} is not on ${storage}`);
  return DONE;
};
