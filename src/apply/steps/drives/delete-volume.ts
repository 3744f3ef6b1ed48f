import { changeNotes } from '../../../formats/marks/data-notes.js';
import type { VmState } from '../../../formats/proxmox/vm-config.js';
import type { Wwn } from '../../../model/identity.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { checkOurs, driveByWwn, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/**
 * Protection off, erased in one call, protection on. Until that call the disk has its identity, so a run that was cut
 * off leaves a volume like any other: it is deleted by the same command again, or used again when oxherd.yaml names it.
 */
export const deleteVolume: Executor<'delete-volume'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, wwn, volid } = step;
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, 'data');
  const drive = driveByWwn(state, wwn);
  if (!drive) return finish(context, host, vmid, state, wwn);
  if (drive.file !== volid) {
    throw new StepError('apply.drive-differs', `${wwn} of VM ${vmid} is ${drive.file} now, not ${volid}`, {
      advice: 'run it again',
    });
  }
  if (state.values.protection === '1')
    await client.updateVm(host, vmid, { set: { protection: 0 }, digest: state.digest });
  const open = await requireVm(context, host, vmid);
  const there = driveByWwn(open, wwn);
  if (there?.file !== volid || there.slot !== drive.slot)
    throw verifyFailed(`${volid} is no longer on ${drive.slot} of VM ${vmid}`);
  await client.updateVm(host, vmid, { delete: [drive.slot], force: true, digest: open.digest });
  const after = await requireVm(context, host, vmid);
  if (driveByWwn(after, wwn)) throw verifyFailed(`${volid} is still on VM ${vmid}`);
  await finish(context, host, vmid, after, wwn);
  return DONE;
};

/** What an earlier run may have left: the note of a volume that is gone, and the VM without its protection. */
async function finish({ client }: StepContext, host: string, vmid: number, state: VmState, wwn: Wwn) {
  const noted = state.values.description ?? '';
  const description = changeNotes(noted, (notes) => ({
    ...notes,
    names: new Map([...notes.names].filter(([key]) => key !== wwn)),
  }));
  if (description === noted && state.values.protection === '1') return ALREADY;
  await client.updateVm(host, vmid, { set: { protection: 1, description }, digest: state.digest });
  return DONE;
}
