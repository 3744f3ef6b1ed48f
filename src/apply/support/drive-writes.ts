/** Writes to one drive of a VM that more than one step makes. Each looks first, so it can be repeated. */
import { printDrive } from '../../formats/proxmox/property-string.js';
import { sameDriveOptions } from '../../formats/proxmox/vm-option.js';
import type { StepOf } from '../../plan/steps.js';
import { ALREADY, DONE, type StepContext, type StepOutcome } from './context.js';
import { attachedDriveParam } from './drive-params.js';
import { driveByWwn, lostSlot, requireVm, StepError, verifyFailed } from './read-vm.js';

/** The VM gets the volume that the data VM has under this identity. */
export async function attachOwnedDrive(
  step: Pick<StepOf<'attach-drive'>, 'drive' | 'vmid' | 'dataVmid' | 'host' | 'node'>,
  context: StepContext,
): Promise<StepOutcome> {
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
}

export async function writeDriveOptions(
  step: Pick<StepOf<'set-drive-options'>, 'vmid' | 'host' | 'slot' | 'wwn' | 'options'>,
  context: StepContext,
): Promise<StepOutcome> {
  const { vmid, host, slot, wwn, options } = step;
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (there?.slot !== slot) throw lostSlot(vmid, slot, there?.slot ?? 'nothing with that identity');
  if (sameDriveOptions(there.options, options)) return ALREADY;
  const { format } = there.options;
  const line = printDrive({
    file: there.file,
    options: { ...options, ...(format !== undefined && { format }) },
  });
  await context.client.updateVm(host, vmid, { set: { [slot]: line }, digest: state.digest });
  return DONE;
}
