import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { failingServiceLog } from '../../support/failing-service-log.js';
import { notReadyBecause, readinessOf, until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const READY_TIMEOUT_MS = 20 * 60_000;

export const awaitMachine: Executor<'await-machine'> = async (step, context) => {
  let asked = 0;
  await until(
    context,
    {
      timeoutMs: READY_TIMEOUT_MS,
      async timeout(last) {
        const words = await failingServiceLog(context, step);
        return new StepError('apply.not-ready', `${step.node} is not ready: ${last}${words}`, {
          where: `VM ${step.vmid} on ${step.host}`,
          advice: 'see `oxherd status`; the other nodes were left alone; run apply again when it is solved',
        });
      },
    },
    async (waiting) => {
      asked += 1;
      const why = notReadyBecause(await readinessOf(context, step.ip, step.role));
      if (why === undefined) return true;
      waiting(why);
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};
