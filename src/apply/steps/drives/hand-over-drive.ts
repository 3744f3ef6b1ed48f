import { ownerOfVolume } from '../../../formats/proxmox/drive-slots.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { attachOwnedDrive, writeDriveOptions } from '../../support/drive-writes.js';
import { powerOff, powerOn } from '../../support/power.js';
import { driveByWwn, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/**
 * A disk that a restore gave to the Talos VM becomes the data VM's; the Talos VM sees it again under its new name. Each
 * part looks at what is there, so that the step can be cut off between any two requests and run again.
 */
export const handOverDrive: Executor<'hand-over-drive'> = async (step, context) => {
  const { vmid, dataVmid, host, wwn, attached } = step;
  const moved = await moveToDataVm(step, context);
  const owned = driveByWwn(await requireVm(context, host, dataVmid), wwn);
  if (!owned) throw verifyFailed(`data VM ${dataVmid} has no disk ${wwn}`);
  const options = { ...step.options, wwn };
  const set = await writeDriveOptions({ vmid: dataVmid, host, slot: owned.slot, wwn, options }, context);
  const attach = await attachOwnedDrive({ ...step, drive: attached }, context);
  // A VM that was running when the step was planned may be off because of an earlier try of this step.
  const started = step.impact !== 'none' && (await powerOn(context, host, vmid));
  return moved || started || !set.already || !attach.already ? DONE : ALREADY;
};

async function moveToDataVm(step: StepOf<'hand-over-drive'>, context: StepContext): Promise<boolean> {
  const { client } = context;
  const { vmid, dataVmid, host, wwn, slot } = step;
  if (driveByWwn(await requireVm(context, host, dataVmid), wwn)) return false;
  const there = driveByWwn(await requireVm(context, host, vmid), wwn);
  if (!there || ownerOfVolume(there.file) !== vmid) {
    throw new StepError('apply.drive-gone', `VM ${vmid} does not own a disk ${wwn}`, {
      advice: 'run plan again',
    });
  }
  await powerOff(context, step);
  const { digest } = await requireVm(context, host, vmid);
  const { digest: targetDigest } = await requireVm(context, host, dataVmid);
  await client.runTask(() =>
    client.moveDisk(host, vmid, {
      disk: there.slot,
      targetVmid: dataVmid,
      targetDisk: slot,
      digest,
      targetDigest,
    }),
  );
  return true;
}
