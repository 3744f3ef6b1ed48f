import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { powerOn } from '../../support/power.js';

export const startVm: Executor<'start-vm'> = async (step, context) =>
  (await powerOn(context, step.host, step.vmid)) ? DONE : ALREADY;
