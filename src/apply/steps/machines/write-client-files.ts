import { DONE, type Executor } from '../../support/context.js';
import { needMachines } from '../../support/machine-wait.js';

export const writeClientFiles: Executor<'write-client-files'> = async (step, context) => {
  await needMachines(context).writeClientFiles(step.folder);
  return DONE;
};
