import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { newDriveParam } from '../../support/drive-params.js';
import { deleteUnused, proveDataIsElsewhere } from '../../support/old-system-disk.js';
import { powerOff } from '../../support/power.js';
import { driveByWwn, lostSlot, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** Stop, new disk from the image on the same slot, the old one (and no other) deleted. The VM is never destroyed. */
export const replaceOsDisk: Executor<'replace-os-disk'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, drive } = step;
  const done = `replaced ${vmid}`;
  if (context.memory.has(done)) return ALREADY;
  if (step.gone) return makeOsDisk(step, context);
  if (step.proof === 'before') await proveDataIsElsewhere(step, context);
  await powerOff(context, step);
  const before = await requireVm(context, host, vmid);
  const old = driveByWwn(before, drive.wwn);
  if (!old)
    throw new StepError('apply.drive-gone', `VM ${vmid} has no system disk ${drive.wwn}`, {
      advice: 'run plan again',
    });
  await client.runTask(() =>
    client.updateVmTask(host, vmid, {
      set: { [old.slot]: newDriveParam({ ...drive, slot: old.slot }) },
      digest: before.digest,
    }),
  );
  const after = await requireVm(context, host, vmid);
  const made = driveByWwn(after, drive.wwn);
  if (!made || made.file === old.file) throw verifyFailed(`${old.slot} of VM ${vmid} is still ${old.file}`);
  context.memory.set(done, made.file);
  if ((made.size ?? 0) < drive.size)
    await client.runTask(() => client.resizeDisk(host, vmid, made.slot, drive.size, after.digest));
  // Where only the new system can tell where the data is, the old disk stays until it has.
  if (step.proof === 'before') await deleteUnused(context, step, old.file);
  return DONE;
};

/** On a free slot of a VM that is off; what an earlier run has made already is only given its size. */
async function makeOsDisk(step: StepOf<'replace-os-disk'>, context: StepContext) {
  const { client } = context;
  const { vmid, host, drive } = step;
  const before = await requireVm(context, host, vmid);
  const already = driveByWwn(before, drive.wwn);
  if (!already) {
    const holder = before.values[drive.slot];
    if (holder !== undefined) throw lostSlot(vmid, drive.slot, holder);
    await client.runTask(() =>
      client.updateVmTask(host, vmid, {
        set: { [drive.slot]: newDriveParam(drive) },
        digest: before.digest,
      }),
    );
  }
  const after = await requireVm(context, host, vmid);
  const made = driveByWwn(after, drive.wwn);
  if (!made) throw verifyFailed(`VM ${vmid} has no disk ${drive.name}`);
  const small = (made.size ?? 0) < drive.size;
  if (small) await client.runTask(() => client.resizeDisk(host, vmid, made.slot, drive.size, after.digest));
  return already && !small ? ALREADY : DONE;
}
