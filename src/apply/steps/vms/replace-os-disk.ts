import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { newDriveParam } from '../../support/drive-params.js';
import { detailsOf, whenUp } from '../../support/machine-wait.js';
import {
  driveByWwn,
  lostSlot,
  requireVm,
  StepError,
  unusedKey,
  verifyFailed,
} from '../../support/read-vm.js';
import { powerOff } from './power.js';

/** Stop, new disk from the image on the same slot, the old one (and no other) deleted. The VM is never destroyed. */
export const replaceOsDisk: Executor<'replace-os-disk'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, drive } = step;
  const done = `replaced ${vmid}`;
  if (context.memory.has(done)) return ALREADY;
  if (step.gone) return makeOsDisk(step, context);
  if (step.proof === 'before') await proveDataIsElsewhere(step, context);
  await powerOff(context, host, vmid);
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

/** Only this volume, and only while it is on no slot. */
async function deleteUnused(
  context: StepContext,
  { host, vmid }: { readonly host: string; readonly vmid: number },
  volume: string,
): Promise<boolean> {
  const now = await requireVm(context, host, vmid);
  const unused = unusedKey(now, volume);
  if (unused) await context.client.updateVm(host, vmid, { delete: [unused], digest: now.digest });
  return unused !== undefined;
}

export const deleteOldSystemDisk: Executor<'delete-old-system-disk'> = async (step, context) => {
  await whenUp(context, step, () => proveDataIsElsewhere(step, context));
  return (await deleteUnused(context, step, step.volume)) ? DONE : ALREADY;
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

/**
 * Talos finds volumes by partition label on any disk: what the config says is not where the data is. Only the machine
 * knows, so it is asked; unknown or different is a refusal.
 */
async function proveDataIsElsewhere(
  step: StepOf<'replace-os-disk' | 'delete-old-system-disk'>,
  context: StepContext,
): Promise<void> {
  const { volumes } = await detailsOf(context, step.ip, step.role);
  for (const [id, wwid] of Object.entries(step.keptOn)) {
    const volume = volumes.find((candidate) => candidate.id === id);
    if (volume?.wwid === wwid) continue;
    throw new StepError(
      'apply.data-elsewhere',
      `${step.node} keeps ${id} ${volume?.wwid ? `on another disk (${volume.wwid})` : 'on a disk that is not known'}, not on its own (${wwid})`,
      { advice: `nothing was changed; see talosctl -n ${step.ip} get volumestatus` },
    );
  }
}
