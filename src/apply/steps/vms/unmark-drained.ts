import { withoutDrainNote } from '../../../formats/marks/drain-note.js';
import type { Executor } from '../../support/context.js';
import { changeDescription } from '../../support/vm-notes.js';

/** Once the node is back: from now on plans expect it where oxherd.yaml wants it. */
export const unmarkDrained: Executor<'unmark-drained'> = (step, context) =>
  changeDescription(context, step, withoutDrainNote);
