import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { changeNotes } from '../../../formats/marks/data-notes.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import {
  checkOurs,
  driveByWwn,
  findVm,
  requireVm,
  StepError,
  unusedKey,
  verifyFailed,
} from '../../support/read-vm.js';

/**
 * The lines of a volume that does not exist leave the Talos VM first, then the data VM, then its note goes and the
 * protection comes back. The interlock lists the storages again before each of them.
 */
export const forgetVolume: Executor<'forget-volume'> = async (step, context) => {
  const { vmid, host, wwn, volid } = step;
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, 'data');
  const drive = driveByWwn(state, wwn);
  if (drive && drive.file !== volid) {
    throw new StepError('apply.drive-differs', `${wwn} of VM ${vmid} is ${drive.file} now, not ${volid}`, {
      advice: 'run it again',
    });
  }
  await releaseOnTalosVm(step, context);
  if (drive) {
    await unprotect(step, context);
    const { digest } = await requireVm(context, host, vmid);
    await context.client.updateVm(host, vmid, { delete: [drive.slot], digest });
    if (driveByWwn(await requireVm(context, host, vmid), wwn))
      throw verifyFailed(`${volid} is still on VM ${vmid}`);
  }
  await dropUnused(step, context);
  return finish(step, context);
};

async function releaseOnTalosVm(step: StepOf<'forget-volume'>, context: StepContext): Promise<void> {
  const { talosVmid, host, wwn, volid } = step;
  const state = await findVm(context, host, talosVmid);
  const seen = state && driveByWwn(state, wwn);
  if (!seen || seen.file !== volid) return;
  checkOurs(context, talosVmid, state, 'talos');
  if ((await context.client.vmStatus(host, talosVmid)).status !== 'stopped') {
    throw new StepError('apply.vm-running', `VM ${talosVmid} runs and may still write ${volid}`, {
      advice: `stop it: qm shutdown ${talosVmid}`,
    });
  }
  await context.client.updateVm(host, talosVmid, { delete: [seen.slot], digest: state.digest });
}

async function unprotect({ vmid, host }: StepOf<'forget-volume'>, context: StepContext): Promise<void> {
  const state = await requireVm(context, host, vmid);
  if (state.values.protection === '1')
    await context.client.updateVm(host, vmid, { set: { protection: 0 }, digest: state.digest });
}

/** Proxmox keeps the name as `unusedN`. LVM cannot remove what is not there: then the line stays and hurts nothing. */
async function dropUnused(step: StepOf<'forget-volume'>, context: StepContext): Promise<void> {
  const { vmid, host, volid } = step;
  const state = await requireVm(context, host, vmid);
  const key = unusedKey(state, volid);
  if (key === undefined) return;
  await unprotect(step, context);
  const { digest } = await requireVm(context, host, vmid);
  try {
    await context.client.updateVm(host, vmid, { delete: [key], digest });
  } catch (error) {
    if (!isProxmoxError(error)) throw error;
    context.progress(`${key} of VM ${vmid} stays: ${error.message}`);
  }
}

async function finish({ vmid, host, wwn }: StepOf<'forget-volume'>, context: StepContext) {
  const state = await requireVm(context, host, vmid);
  const noted = state.values.description ?? '';
  const description = changeNotes(noted, (notes) => ({
    ...notes,
    names: new Map([...notes.names].filter(([key]) => key !== wwn)),
  }));
  if (description === noted && state.values.protection === '1') return ALREADY;
  await context.client.updateVm(host, vmid, { set: { protection: 1, description }, digest: state.digest });
  return DONE;
}
