import { type VmState, vmConfigOf } from '../../../formats/proxmox/vm-config.js';
import type { StepOf } from '../../../plan/steps.js';
import { helperName, helperOn } from '../../../plan/vms/helper-drives.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { auxiliaryParam, newDriveParam } from '../../support/drive-params.js';
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
  requireHelpers(step, await requireVm(context, host, vmid));
  if (step.proof === 'before') await proveDataIsElsewhere(step, context);
  await powerOff(context, step);
  await removeOldHelpers(step, context);
  const before = await requireVm(context, host, vmid);
  requireHelpers(step, before);
  const old = driveByWwn(before, drive.wwn);
  if (!old)
    throw new StepError('apply.drive-gone', `VM ${vmid} has no system disk ${drive.wwn}`, {
      advice: 'run plan again',
    });
  await client.runTask(() =>
    client.updateVmTask(host, vmid, {
      set: { [old.slot]: newDriveParam({ ...drive, slot: old.slot }), ...firmwareParams(step, before) },
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

/** Asked before the VM stops and again before its disk goes: a machine that cannot start again keeps its system. */
function requireHelpers(
  { vmid, node, helpers = [], firmware }: StepOf<'replace-os-disk'>,
  state: VmState,
): void {
  const coming = new Set(Object.values(firmware?.add ?? {}).map(({ kind }) => kind));
  const lost = helpers.find((helper) => !coming.has(helper.kind) && !helperOn(vmConfigOf(state), helper));
  if (!lost) return;
  throw new StepError(
    'apply.cannot-start',
    `refusing to replace the system disk of ${node}: VM ${vmid} has no ${helperName(lost)} and could not start afterwards`,
    { advice: 'its system disk was not changed; run apply again, which adds the drive' },
  );
}

/** While the VM still has the firmware that they belong to: afterwards nothing tells whose they are. */
async function removeOldHelpers(
  { vmid, host, firmware }: StepOf<'replace-os-disk'>,
  context: StepContext,
): Promise<void> {
  if (!firmware || firmware.remove.length === 0) return;
  const { effective } = vmConfigOf(await requireVm(context, host, vmid));
  const there = firmware.remove.filter((slot) => effective[slot] !== undefined);
  if (there.length > 0) await context.client.unlinkDisks(host, vmid, there, { force: true });
}

/** In one request with the disk, so that a run that is cut off leaves no firmware beside a disk of the other one. */
function firmwareParams({ firmware }: StepOf<'replace-os-disk'>, state: VmState): Record<string, string> {
  if (!firmware) return {};
  const { effective } = vmConfigOf(state);
  const drives = Object.entries(firmware.add).filter(([slot]) => effective[slot] === undefined);
  return {
    bios: firmware.to,
    ...Object.fromEntries(drives.map(([slot, drive]) => [slot, auxiliaryParam(drive)])),
  };
}

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
