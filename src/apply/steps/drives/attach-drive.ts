import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { attachedDriveParam } from '../../support/drive-params.js';
import { driveByWwn, lostSlot, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

export const attachDrive: Executor<'attach-drive'> = async (step, context) => {
  const { drive, vmid, dataVmid, host } = step;
  const owned = driveByWwn(await requireVm(context, host, dataVmid), drive.wwn);
  if (!owned) {
    throw new StepError('apply.drive-gone', `data VM ${dataVmid} has no disk ${drive.name} (${drive.wwn})`, {
      advice: 'run plan again',
    });
  }
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, drive.wwn);
  if (there?.file === owned.file) return ALREADY;
  if (there) {
    throw new StepError(
      'apply.drive-differs',
      `VM ${vmid} uses ${there.file} as ${drive.name}, its data VM has ${owned.file}`,
      {
        advice: `choose the right one: oxherd volumes adopt ${step.node}/${drive.name} <volume id>`,
      },
    );
  }
  const holder = state.values[drive.slot] ?? state.pending[drive.slot];
  if (holder) throw lostSlot(vmid, drive.slot, holder);
  await context.client.updateVm(host, vmid, {
    set: { [drive.slot]: attachedDriveParam(drive, owned.file) },
    digest: state.digest,
  });
  if (driveByWwn(await requireVm(context, host, vmid), drive.wwn)?.file !== owned.file) {
    throw verifyFailed(`${drive.slot} of VM ${vmid} is not ${owned.file}`);
  }
  return DONE;
};
