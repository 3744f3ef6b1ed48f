import { changeNotes, parseDataNotes } from '../../formats/data-notes.js';
import type { VmState } from '../../formats/vm-config.js';
import type { Wwn } from '../../model/identity.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../support/context.js';
import { checkOurs, driveByWwn, requireVm, StepError, unusedKey, verifyFailed } from '../support/read-vm.js';

/**
 * Written down, protection off, detached, erased, protection on. The first writes the intent into the description:
 * a run that is cut off at any point is finished by the next one.
 */
export const deleteVolume: Executor<'delete-volume'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, wwn, volid } = step;
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, 'data');
  const notes = parseDataNotes(state.values.description ?? '');
  const drive = driveByWwn(state, wwn);
  if (!drive && !notes.deleting.has(wwn)) return ALREADY;
  if (drive && drive.file !== volid) {
    throw new StepError('apply.drive-differs', `${wwn} of VM ${vmid} is ${drive.file} now, not ${volid}`, {
      advice: 'run it again',
    });
  }
  await client.updateVm(host, vmid, {
    set: { protection: 0, description: noted(state, (deleting) => deleting.set(wwn, volid)) },
    digest: state.digest,
  });
  if (drive) await client.updateVm(host, vmid, { delete: [drive.slot] });
  const parked = unusedKey(await requireVm(context, host, vmid), volid);
  if (parked) await client.updateVm(host, vmid, { delete: [parked] });
  const after = await requireVm(context, host, vmid);
  if (unusedKey(after, volid) || driveByWwn(after, wwn))
    throw verifyFailed(`${volid} is still on VM ${vmid}`);
  await finish(context, host, vmid, after, wwn);
  return DONE;
};

async function finish(
  { client }: StepContext,
  host: string,
  vmid: number,
  state: VmState,
  wwn: Wwn,
): Promise<void> {
  const description = noted(state, (deleting, names) => {
    deleting.delete(wwn);
    names.delete(wwn);
  });
  await client.updateVm(host, vmid, { set: { protection: 1, description }, digest: state.digest });
}

function noted(
  state: VmState,
  change: (deleting: Map<Wwn, string>, names: Map<Wwn, string>) => void,
): string {
  return changeNotes(state.values.description ?? '', (notes) => {
    const deleting = new Map(notes.deleting);
    const names = new Map(notes.names);
    change(deleting, names);
    return { ...notes, names, deleting };
  });
}
