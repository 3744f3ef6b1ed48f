import { readVolumes } from '../../../observe/observe-machines.js';
import { stillSmall } from '../../../plan/drives/growing-volume.js';
import { permitDown } from '../../guard/guard.js';
import { missingIdentities, requireIdentities, startAgain } from '../../identity/cold-start.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { machineConfigsOf } from '../../support/machine-configs.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, notReadyBecause, readinessOf, until, whenUp } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const READY_TIMEOUT_MS = 15 * 60_000;

export const rebootMachine: Executor<'reboot-machine'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  const { growing = [], coldStart } = step;
  const smallNow = async () => stillSmall(growing, growing.length === 0 ? [] : await readVolumes(talos));
  // A staged config is read back only after the boot that took it; a volume has grown only after a boot.
  const done = await whenUp(context, step, async () => {
    await checkIdentity(talos, step);
    const { active } = await machineConfigsOf(context, step.ip);
    if (active !== step.configHash || (await smallNow()).length > 0) return false;
    return !coldStart || (await missingIdentities(talos, coldStart)).length === 0;
  });
  if (done) return ALREADY;
  if (coldStart) await startAgain(context, step, coldStart);
  else await talos.down.reboot(await permitDown(context, step));
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
  if (coldStart) await requireIdentities(talos, step, coldStart);
  return DONE;
};
