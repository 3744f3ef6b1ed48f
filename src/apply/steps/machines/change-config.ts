import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { machineConfigsOf } from '../../support/machine-configs.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, plannedConfig } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';
import { changeComponents } from '../../support/try-config.js';

/** At once only where our table and the machine's own dry run both say that no reboot is needed. */
export const changeConfig: Executor<'change-config'> = async (step, context) => {
  const { restarts } = step;
  if (restarts && step.mode !== 'staged') return changeComponents({ ...step, restarts }, context);
  const talos = adminOf(context, step.ip);
  await checkIdentity(talos, step);
  const now = await machineConfigsOf(context, step.ip);
  // What runs may be a config that is only tried; what is on the disk may be one that is only staged.
  if (now.active === step.configHash && now.persistent === step.configHash) return ALREADY;
  if (![now.active, now.persistent].some((hash) => hash === step.fromHash || hash === step.configHash)) {
    throw new StepError('apply.changed', `the config of ${step.node} is not the one the plan found`, {
      advice: 'it was changed meanwhile; run plan again',
    });
  }
  const config = plannedConfig(context, step);
  if (step.mode === 'staged') {
    const { warnings } = await talos.applyConfiguration(config, { mode: 'staged' });
    return { ...DONE, warnings };
  }
  const dryRun = await talos.applyConfiguration(config, { mode: 'auto', dryRun: true });
  if (dryRun.mode === 'reboot') {
    const { warnings } = await talos.applyConfiguration(config, { mode: 'staged' });
    const notice = `${step.node} needs a reboot for this: it takes effect when ${step.node} restarts`;
    return { ...DONE, warnings: [...warnings, notice] };
  }
  const { warnings } = await talos.applyConfiguration(config, { mode: 'no-reboot' });
  return { ...DONE, warnings };
};
