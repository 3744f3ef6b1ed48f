import { wwidOf } from '../../../model/identity.js';
import { readVolumes } from '../../../observe/observe-machines.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { adminOf, until } from '../../support/machine-wait.js';
import { driveByWwn, lostSlot, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

const CLOSED_WITHIN_MS = 2 * 60_000;

/** From the Talos VM only: the volume is its data VM's, so nothing but the line goes. */
export const detachDrive: Executor<'detach-drive'> = async (step, context) => {
  const { vmid, host, slot, wwn } = step;
  if (!driveByWwn(await requireVm(context, host, vmid), wwn)) return ALREADY;
  const isOff = async () => (await context.client.vmStatus(host, vmid)).status === 'stopped';
  if (step.usedAt !== undefined && !(await isOff())) await awaitClosed(step, step.usedAt, context);
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (!there) return ALREADY;
  if (there.slot !== slot || there.file !== step.volume) throw lostSlot(vmid, slot, there.file);
  await context.client.updateVm(host, vmid, { delete: [slot], digest: state.digest });
  if (driveByWwn(await requireVm(context, host, vmid), wwn))
    throw verifyFailed(`${slot} of VM ${vmid} is still there`);
  return DONE;
};

/** A disk that is taken away under a mounted file system loses what was not written yet. */
async function awaitClosed(step: StepOf<'detach-drive'>, ip: string, context: StepContext): Promise<void> {
  const wwid = wwidOf(step.wwn);
  await until(
    context,
    {
      timeoutMs: CLOSED_WITHIN_MS,
      timeout: (last) =>
        new StepError('apply.volume-open', `${step.volume} was not detached from VM ${step.vmid}: ${last}`, {
          advice: `pods of ${step.node} may still use it; stop them and run apply again, or restart the node: oxherd restart ${step.node}`,
        }),
    },
    async (waiting) => {
      const open = (await readVolumes(adminOf(context, ip))).filter(
        (volume) => volume.wwid === wwid && volume.phase !== 'closed',
      );
      if (open.length === 0) return true;
      waiting(`Talos still has ${open.map(({ id, phase }) => `${id} (${phase})`).join(', ')} on it`);
      return undefined;
    },
  );
}
