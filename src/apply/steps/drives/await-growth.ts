import { readVolumes } from '../../../observe/observe-machines.js';
import { stillSmall } from '../../../plan/drives/growing-volume.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { adminOf, until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const GROWTH_TIMEOUT_MS = 10 * 60_000;

/** By what the machine says of its volumes, not by the boot that should have done it. */
export const awaitGrowth: Executor<'await-growth'> = async (step, context) => {
  let asked = 0;
  await until(
    context,
    {
      timeoutMs: GROWTH_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.not-grown', `${step.node} has booted, but ${last}`, {
          advice: `look at talosctl -n ${step.ip} get volumestatus and dmesg; the data is as it was`,
        }),
    },
    async (waiting) => {
      asked += 1;
      const small = stillSmall(step.growing, await readVolumes(adminOf(context, step.ip)));
      if (small.length === 0) return true;
      waiting(small.join('; '));
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};
