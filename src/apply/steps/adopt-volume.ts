import { lowestFreeSlot } from '../../formats/drive-slots.js';
import { printDrive, printPropertyString } from '../../formats/property-string.js';
import { type VmState, vmConfigOf } from '../../formats/vm-config.js';
import { DONE, type Executor, type StepContext } from '../support/context.js';
import { driveByWwn, findVm, requireVm, StepError, verifyFailed } from '../support/read-vm.js';

/** First every other claim to the identity goes, then the right volume gets it. No volume is removed. */
export const adoptVolume: Executor<'adopt-volume'> = async (step, context) => {
  const { vmid, host, wwn, volid } = step;
  for (const other of [step.talosVmid, step.dataVmid]) await dropClaims(context, host, other, step);
  const state = await requireVm(context, host, vmid);
  const there = vmConfigOf(state).drives.find((drive) => drive.file === volid);
  const slot = there?.slot ?? lowestFreeSlot(new Set(Object.keys(vmConfigOf(state).effective)));
  if (slot === undefined) throw new StepError('apply.no-slot', `VM ${vmid} has no free slot for ${volid}`);
  const line = printPropertyString({ ...step.options, file: volid, wwn }, 'file');
  await context.client.updateVm(host, vmid, { set: { [slot]: line }, digest: state.digest });
  if (driveByWwn(await requireVm(context, host, vmid), wwn)?.file !== volid)
    throw verifyFailed(`${volid} has not got the identity ${wwn}`);
  return DONE;
};

/** On the data VM another volume stays where it is, without the WWN; the Talos VM lets go of it. */
async function dropClaims(
  context: StepContext,
  host: string,
  vmid: number,
  step: Parameters<typeof adoptVolume>[0],
): Promise<void> {
  const state: VmState | undefined = await findVm(context, host, vmid);
  if (!state) return;
  for (const drive of vmConfigOf(state).drives) {
    if (drive.wwn !== step.wwn || drive.file === step.volid) continue;
    const { digest } = await requireVm(context, host, vmid);
    if (vmid === step.talosVmid) {
      await context.client.updateVm(host, vmid, { delete: [drive.slot], digest });
    } else {
      const { wwn: _, ...options } = drive.options;
      await context.client.updateVm(host, vmid, {
        set: { [drive.slot]: printDrive({ file: drive.file, options }) },
        digest,
      });
    }
  }
}
