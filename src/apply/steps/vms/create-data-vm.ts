import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { auxiliaryParam, newDriveParam } from '../../support/drive-params.js';
import { checkOurs, driveByWwn, findVm, requireVm, verifyFailed } from '../../support/read-vm.js';

/** One call makes the VM and all its disks; if it fails, Proxmox takes everything back. */
export const createDataVm: Executor<'create-data-vm'> = async (step, context) => {
  const there = await findVm(context, step.host, step.vmid);
  if (there) {
    checkOurs(context, step.vmid, there, 'data');
    return ALREADY;
  }
  const auxiliary = Object.entries(step.auxiliary).map(([key, drive]) => [key, auxiliaryParam(drive)]);
  const drives = step.drives.map((drive) => [drive.slot, newDriveParam(drive)]);
  const result = await context.client.runTask(() =>
    context.client.createVm(step.host, step.vmid, {
      ...step.options,
      ...Object.fromEntries([...auxiliary, ...drives]),
    }),
  );
  const made = await requireVm(context, step.host, step.vmid);
  for (const drive of step.drives) {
    if (!driveByWwn(made, drive.wwn)) throw verifyFailed(`VM ${step.vmid} has no disk ${drive.name}`);
  }
  return { ...DONE, warnings: result?.warnings ?? [] };
};
