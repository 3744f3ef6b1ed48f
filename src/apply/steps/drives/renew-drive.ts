import { printDrive } from '../../../formats/proxmox/property-string.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { newDriveParam } from '../../support/drive-params.js';
import {
  checkOurs,
  driveByWwn,
  findVm,
  lostSlot,
  requireVm,
  StepError,
  verifyFailed,
} from '../../support/read-vm.js';

/** In one call: the old disk gets another identity and the new one its place, so that no moment is without either. */
export const renewDrive: Executor<'renew-drive'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, drive, aside } = step;
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, 'data');
  const old = driveByWwn(state, drive.wwn);
  const kept = driveByWwn(state, aside.wwn);
  if (kept && old) return ALREADY;
  await checkUnused(step, context);
  const holder = state.values[drive.slot];
  if (holder !== undefined) throw lostSlot(vmid, drive.slot, holder);
  const line = old && printDrive({ file: old.file, options: { ...old.options, wwn: aside.wwn } });
  await client.runTask(() =>
    client.updateVmTask(host, vmid, {
      set: {
        ...(old && { [old.slot]: line }),
        [drive.slot]: newDriveParam(drive),
        description: step.description,
      },
      digest: state.digest,
    }),
  );
  const after = await requireVm(context, host, vmid);
  const made = driveByWwn(after, drive.wwn);
  if (!made || made.file === old?.file) throw verifyFailed(`data VM ${vmid} has no new disk ${drive.name}`);
  if (old && driveByWwn(after, aside.wwn)?.file !== old.file)
    throw verifyFailed(`${old.file} of data VM ${vmid} is not kept as ${aside.name}`);
  return DONE;
};

/** A machine that still sees the old disk under its old identity would go on with it. */
async function checkUnused(
  { talosVmid, host, drive, node }: StepOf<'renew-drive'>,
  context: StepContext,
): Promise<void> {
  const talos = await findVm(context, host, talosVmid);
  if (!talos || !driveByWwn(talos, drive.wwn)) return;
  throw new StepError('apply.drive-in-use', `VM ${talosVmid} still has the disk ${drive.name} of ${node}`, {
    advice: 'it was attached since the plan was created; run it again',
  });
}
