import { isTalosError } from '../../clients/talos/errors.js';
import { attempt } from '../../observe/attempt.js';
import { ALREADY, DONE, type Executor, type StepContext } from './context.js';
import { adminOf, until } from './machine-wait.js';
import { StepError } from './vm-now.js';

const BOOTSTRAP_TIMEOUT_MS = 10 * 60_000;

/** Once, and only after every control plane was asked: a second bootstrap would be a second cluster. */
export const bootstrap: Executor<'bootstrap'> = async (step, context) => {
  if (await hasEtcd(context, step.controlPlanes)) return ALREADY;
  const talos = adminOf(context, step.ip);
  return until(
    context,
    {
      timeoutMs: BOOTSTRAP_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.bootstrap', `etcd could not be bootstrapped on ${step.node}: ${last}`, {
          advice: `look at the console of ${step.node}; its clock must be set and its config applied; then run apply again`,
        }),
    },
    async () => {
      try {
        await talos.bootstrap();
        return DONE;
      } catch (error) {
        if (!isTalosError(error, 'talos.already-exists')) throw error;
        // Our own call whose answer was lost, or data of an earlier life. The certificate it accepts is ours either way.
        if (await hasEtcd(context, step.controlPlanes)) return ALREADY;
        throw new StepError(
          'apply.bootstrap-data',
          `${step.node} has etcd data, but no control plane answers as a member`,
          {
            advice: 'it may be the data of an older cluster: see `oxherd status`, wait, and run apply again',
            cause: error,
          },
        );
      }
    },
  );
};

async function hasEtcd(context: StepContext, controlPlanes: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(
    controlPlanes.map((ip) => attempt(() => adminOf(context, ip).etcd.members())),
  );
  return answers.some((members) => members.known && members.value.length > 0);
}
