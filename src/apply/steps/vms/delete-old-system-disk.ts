import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { whenUp } from '../../support/machine-wait.js';
import { deleteUnused, proveDataIsElsewhere } from '../../support/old-system-disk.js';

export const deleteOldSystemDisk: Executor<'delete-old-system-disk'> = async (step, context) => {
  await whenUp(context, step, () => proveDataIsElsewhere(step, context));
  return (await deleteUnused(context, step, step.volume)) ? DONE : ALREADY;
};
