import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { destroyVm } from '../../support/power.js';
import { checkOurs, findVm } from '../../support/read-vm.js';

/** Protection off, then away with it. The interlock lets it pass only with the permission to lose this data. */
export const destroyDataVm: Executor<'destroy-data-vm'> = async (step, context) => {
  const there = await findVm(context, step.host, step.vmid);
  if (!there) return ALREADY;
  checkOurs(context, step.vmid, there, 'data');
  if (there.values.protection === '1') {
    await context.client.updateVm(step.host, step.vmid, { set: { protection: 0 }, digest: there.digest });
  }
  await destroyVm(context, step.host, step.vmid);
  return DONE;
};
