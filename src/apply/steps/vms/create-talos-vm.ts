import type { VmState } from '../../../formats/proxmox/vm-config.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { attachedDriveParam, auxiliaryParam, newDriveParam } from '../../support/drive-params.js';
import { checkOurs, driveByWwn, findVm, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** One call makes the VM with its system disk and sees the data VM's disks; then the system disk gets its size. */
export const createTalosVm: Executor<'create-talos-vm'> = async (step, context) => {
  const { client } = context;
  const there = await findVm(context, step.host, step.vmid);
  if (there) {
    checkOurs(context, step.vmid, there, 'talos');
    return (await growSystemDisk(step, context, there)) ? DONE : ALREADY;
  }
  const auxiliary = Object.entries(step.auxiliary).map(([key, drive]) => [key, auxiliaryParam(drive)]);
  const own = step.drives.map((drive) => [drive.slot, newDriveParam(drive)]);
  const attached = await attachedDrives(step, context);
  const result = await client.runTask(() =>
    client.createVm(step.host, step.vmid, {
      ...step.options,
      ...Object.fromEntries([...auxiliary, ...own, ...attached]),
      ...(step.pool !== undefined && { pool: step.pool }),
    }),
  );
  const made = await requireVm(context, step.host, step.vmid);
  for (const drive of [...step.drives, ...step.attach]) {
    if (!driveByWwn(made, drive.wwn)) throw verifyFailed(`VM ${step.vmid} has no disk ${drive.name}`);
  }
  await growSystemDisk(step, context, made);
  return { ...DONE, warnings: result?.warnings ?? [] };
};

async function attachedDrives(
  step: StepOf<'create-talos-vm'>,
  context: StepContext,
): Promise<[string, string][]> {
  if (step.attach.length === 0 || step.dataVmid === undefined) return [];
  const data = await requireVm(context, step.host, step.dataVmid);
  return step.attach.map((drive) => {
    const there = driveByWwn(data, drive.wwn);
    if (!there) {
      throw new StepError(
        'apply.drive-gone',
        `data VM ${step.dataVmid} has no disk ${drive.name} (${drive.wwn})`,
        {
          advice: 'the data VM was changed since the plan was created; run plan again',
        },
      );
    }
    return [drive.slot, attachedDriveParam(drive, there.file)];
  });
}

/** An imported disk has its image's size. */
async function growSystemDisk(
  step: StepOf<'create-talos-vm'>,
  context: StepContext,
  made: VmState,
): Promise<boolean> {
  let grown = false;
  for (const drive of step.drives) {
    const there = driveByWwn(made, drive.wwn);
    if (!there || there.size === undefined || there.size >= drive.size) continue;
    const { digest } = grown ? await requireVm(context, step.host, step.vmid) : made;
    await context.client.runTask(() =>
      context.client.resizeDisk(step.host, step.vmid, there.slot, drive.size, digest),
    );
    grown = true;
  }
  return grown;
}
