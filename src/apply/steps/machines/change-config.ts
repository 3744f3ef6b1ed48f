import { readVolumes } from '../../../observe/observe-machines.js';
import { stillSmall } from '../../../plan/drives/growing-volume.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { machineConfigsOf } from '../../support/machine-configs.js';
import { checkIdentity } from '../../support/machine-identity.js';
import {
  adminOf,
  notReadyBecause,
  plannedConfig,
  readinessOf,
  until,
  whenUp,
} from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';
import { changeComponents } from './try-config.js';

const READY_TIMEOUT_MS = 15 * 60_000;

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

export const rebootMachine: Executor<'reboot-machine'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  const { growing = [] } = step;
  const smallNow = async () => stillSmall(growing, growing.length === 0 ? [] : await readVolumes(talos));
  // A staged config is read back only after the boot that took it; a volume has grown only after a boot.
  const done = await whenUp(
    context,
    step,
    async () =>
      (await machineConfigsOf(context, step.ip)).active === step.configHash &&
      (await smallNow()).length === 0,
  );
  if (done) return ALREADY;
  await talos.reboot();
  await until(
    context,
    {
      timeoutMs: READY_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.machine-absent', `${step.node} did not return from its reboot: ${last}`, {
          advice: `look at the console of VM ${step.vmid}; the other nodes were left alone`,
        }),
    },
    async (waiting) => {
      if ((await machineConfigsOf(context, step.ip)).active !== step.configHash) {
        waiting('it reboots');
        return undefined;
      }
      const small = await smallNow();
      if (small.length > 0) {
        waiting(small.join('; '));
        return undefined;
      }
      const why = notReadyBecause(await readinessOf(context, step.ip, step.role));
      if (why === undefined) return true;
      waiting(why);
      return undefined;
    },
  );
  return DONE;
};
