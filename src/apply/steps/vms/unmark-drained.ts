import { withoutDrainNote } from '../../../formats/marks/drain-note.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { requireVm } from '../../support/read-vm.js';

/** Once the node is back: from now on plans expect it as the file says. */
export const unmarkDrained: Executor<'unmark-drained'> = async ({ vmid, host }, context) => {
  const state = await requireVm(context, host, vmid);
  const before = state.values.description ?? '';
  const description = withoutDrainNote(before);
  if (description === before) return ALREADY;
  await context.client.updateVm(host, vmid, { set: { description }, digest: state.digest });
  return DONE;
};
