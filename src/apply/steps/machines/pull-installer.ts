import { DONE, type Executor } from '../../support/context.js';
import { adminOf } from '../../support/machine-wait.js';

export const pullInstaller: Executor<'pull-installer'> = async (step, context) => {
  await context.schematics.register(step.schematicId);
  await adminOf(context, step.ip).pullImage(step.image, 'installer');
  return DONE;
};
