import { readCsiDriver } from '../../../observe/observe-csi-driver.js';
import type { ObservedCsiDriver } from '../../../observe/observed-kubernetes.js';
import { awaitCluster, needCluster } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

/** Images are pulled from the internet on every node. */
const TIMEOUT_MS = 20 * 60_000;

export const awaitCsiDriver: Executor<'await-csi-driver'> = async (_step, context) => {
  const { client } = needCluster(context);
  let asked = 0;
  await awaitCluster(
    context,
    {
      timeoutMs: TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.csi-driver', `the CSI driver does not run: ${last}`, {
          advice: 'see `kubectl -n csi-proxmox get pods` and `oxherd status`; then run apply again',
        }),
    },
    async (waiting) => {
      asked += 1;
      const lacking = missing(await readCsiDriver(client));
      if (lacking === undefined) return true;
      waiting(`waiting for ${lacking}`);
      return undefined;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};

function missing({ controller, plugins, registered }: ObservedCsiDriver): string | undefined {
  if (!controller || controller.available < controller.wanted) return 'its controller';
  if (!plugins || plugins.wanted === 0 || plugins.available < plugins.wanted)
    return `its node plugins: ${plugins?.available ?? 0} of ${plugins?.wanted ?? 0}`;
  if (registered.length < plugins.wanted)
    return `kubelets: ${registered.length} of ${plugins.wanted} know it`;
  return undefined;
}
