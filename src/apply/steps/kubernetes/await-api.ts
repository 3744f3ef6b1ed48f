import { awaitCluster, needCluster } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

const API_TIMEOUT_MS = 15 * 60_000;

export const awaitApi: Executor<'await-api'> = async (_, context) => {
  const { client } = needCluster(context);
  let asked = 0;
  await awaitCluster(
    context,
    {
      timeoutMs: API_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.no-api', `the Kubernetes API does not answer: ${last}`, {
          advice:
            'look at the API servers with `talosctl -n <control plane> containers -k`; then run apply again',
        }),
    },
    async (waiting) => {
      asked += 1;
      if (await client.ready()) return true;
      waiting('no API server is ready');
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};
