import { withDrainNote } from '../../../formats/marks/drain-note.js';
import type { Executor } from '../../support/context.js';
import { changeDescription } from '../../support/vm-notes.js';

/** Before the node goes: whoever finds it elsewhere or off can tell why, and bring it back. */
export const markDrained: Executor<'mark-drained'> = (step, context) => {
  const begun = context.clock.now();
  const until = new Date(begun + step.forSeconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  return changeDescription(context, step, (description) =>
    withDrainNote(description, {
      host: step.drainedFrom,
      until,
      ...(context.runId !== undefined && { run: context.runId }),
    }),
  );
};
