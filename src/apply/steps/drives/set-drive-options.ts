import type { Executor } from '../../support/context.js';
import { writeDriveOptions } from '../../support/drive-writes.js';

export const setDriveOptions: Executor<'set-drive-options'> = (step, context) =>
  writeDriveOptions(step, context);
