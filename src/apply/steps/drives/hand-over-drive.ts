import { ownerOfVolume } from '../../../formats/proxmox/drive-slots.js';
import { printPropertyString } from '../../../formats/proxmox/property-string.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { powerOff, powerOn } from '../../support/power.js';
import { driveByWwn, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** A disk that a restore gave to the Talos VM becomes the data VM's; the Talos VM sees it again under its new name. */
export const handOverDrive: Executor<'hand-over-drive'> = async (step, context) => {
  const { client } = context;
  const { vmid, dataVmid, host, wwn, slot } = step;
  if (driveByWwn(await requireVm(context, host, dataVmid), wwn)) return ALREADY;
  const there = driveByWwn(await requireVm(context, host, vmid), wwn);
  if (!there || ownerOfVolume(there.file) !== vmid) {
    throw new StepError('apply.drive-gone', `VM ${vmid} does not own a disk ${wwn}`, {
      advice: 'run plan again',
    });
  }
  const wasRunning = await powerOff(context, host, vmid);
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
  const data = await requireVm(context, host, dataVmid);
  const owned = driveByWwn(data, wwn);
  if (!owned) throw verifyFailed(`data VM ${dataVmid} has no disk ${wwn}`);
  await client.updateVm(host, dataVmid, {
    set: { [owned.slot]: printPropertyString({ ...step.options, file: owned.file, wwn }, 'file') },
    digest: data.digest,
  });
  const state = await requireVm(context, host, vmid);
  await client.updateVm(host, vmid, {
    set: { [there.slot]: printPropertyString({ ...there.options, file: owned.file }, 'file') },
    digest: state.digest,
  });
  if (wasRunning) await powerOn(context, host, vmid);
  return DONE;
};
