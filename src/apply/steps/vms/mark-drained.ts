import { withDrainNote } from '../../../formats/marks/drain-note.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { requireVm } from '../../support/read-vm.js';

/** Before the node goes: whoever finds it elsewhere or off can tell why, and bring it back. */
export const markDrained: Executor<'mark-drained'> = async (step, context) => {
  const { vmid, host, drainedFrom, forSeconds } = step;
  const state = await requireVm(context, host, vmid);
  const begun = context.clock.now();
  const until = new Date(begun + forSeconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const before = state.values.description ?? '';
  const description = withDrainNote(before, {
    host: drainedFrom,
    until,
    ...(context.runId !== undefined && { run: context.runId }),
  });
  if (description === before) return ALREADY;
  await context.client.updateVm(host, vmid, { set: { description }, digest: state.digest });
  return DONE;
};
