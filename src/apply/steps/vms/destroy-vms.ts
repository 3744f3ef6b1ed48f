/** A Talos VM can go at any time: its data is the data VM's. A data VM goes only when somebody asked for it by name. */
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { checkOurs, findVm } from '../../support/read-vm.js';
import { powerOff } from './power.js';

export const destroyTalosVm: Executor<'destroy-talos-vm'> = async (step, context) => {
  const there = await findVm(context, step.host, step.vmid);
  if (!there) return ALREADY;
  checkOurs(context, step.vmid, there, 'talos');
  await powerOff(context, step.host, step.vmid);
  await destroy(context, step.host, step.vmid);
  return DONE;
};

/** Protection off, then away with it. The interlock lets it pass only with the permission to lose this data. */
export const destroyDataVm: Executor<'destroy-data-vm'> = async (step, context) => {
  const there = await findVm(context, step.host, step.vmid);
  if (!there) return ALREADY;
  checkOurs(context, step.vmid, there, 'data');
  if (there.values.protection === '1') {
    await context.client.updateVm(step.host, step.vmid, { set: { protection: 0 }, digest: there.digest });
  }
  await destroy(context, step.host, step.vmid);
  return DONE;
};

/** Without `purge`: jobs of others that save this VM go on doing so when it is made again. */
async function destroy({ client }: StepContext, host: string, vmid: number): Promise<void> {
  await client.runTask(() => client.destroyVm(host, vmid, { destroyUnreferencedDisks: false }));
}
