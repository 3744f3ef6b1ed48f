import { lowestFreeSlot } from '../../../formats/proxmox/drive-slots.js';
import { printDrive, printPropertyString } from '../../../formats/proxmox/property-string.js';
import { type VmState, vmConfigOf } from '../../../formats/proxmox/vm-config.js';
import { attempt } from '../../../observe/attempt.js';
import { readVm } from '../../../observe/read-vm.js';
import type { StepOf } from '../../../plan/steps.js';
import { DONE, type Executor, type StepContext } from '../../support/context.js';
import { driveByWwn, findVm, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

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
  await checkUnique(step, context);
  return DONE;
};

/** A copy with the same identity on any VM makes it unknown again which one is right. */
async function checkUnique({ wwn, volid }: StepOf<'adopt-volume'>, { client }: StepContext): Promise<void> {
  const vms = (await client.vms()).filter((vm) => vm.type === 'qemu');
  const found = await Promise.all(
    vms.map(async ({ node, vmid }) => {
      const state = await attempt(() => readVm(client, node, vmid));
      const drives = state.known ? vmConfigOf(state.value).drives : [];
      return drives
        .filter((drive) => drive.wwn === wwn && drive.file !== volid)
        .map((drive) => ({ vmid, slot: drive.slot, file: drive.file }));
    }),
  );
  const [copy] = found.flat();
  if (!copy) return;
  throw new StepError(
    'apply.identity-twice',
    `${volid} has the identity ${wwn} now, but ${copy.slot} of VM ${copy.vmid} (${copy.file}) has it too`,
    {
      advice: `take it off that copy (qm set ${copy.vmid} --${copy.slot} ${copy.file}) or remove that VM, then run it again`,
    },
  );
}

/** On the data VM another volume stays where it is, without the WWN; the Talos VM releases it. */
async function dropClaims(
  context: StepContext,
  host: string,
  vmid: number,
  step: StepOf<'adopt-volume'>,
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
