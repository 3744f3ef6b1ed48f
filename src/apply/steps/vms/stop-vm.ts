import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { powerOff } from '../../support/power.js';

export const stopVm: Executor<'stop-vm'> = async (step, context) =>
  (await powerOff(context, step)) ? DONE : ALREADY;
