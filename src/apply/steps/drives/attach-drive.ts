import type { Executor } from '../../support/context.js';
import { attachOwnedDrive } from '../../support/drive-writes.js';

export const attachDrive: Executor<'attach-drive'> = (step, context) => attachOwnedDrive(step, context);
