import { ALREADY, DONE, type Executor } from './context.js';
import { lastWords } from './last-words.js';
import { notReadyBecause, readinessOf, until } from './machine-wait.js';
import { StepError } from './vm-now.js';

const READY_TIMEOUT_MS = 20 * 60_000;

export const awaitMachine: Executor<'await-machine'> = async (step, context) => {
  let asked = 0;
  await until(
    context,
    {
      timeoutMs: READY_TIMEOUT_MS,
      async timeout(last) {
        const words = await lastWords(context, step.ip, step.role);
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
