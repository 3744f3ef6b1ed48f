/** Until the engine has fetched the first repository and applied what is in it. */
import { type ManagedObject, refText } from '../../../design/kubernetes/managed-object.js';
import { syncStateOf } from '../../../formats/kubernetes/sync-state.js';
import { isMapping } from '../../../formats/text/mapping.js';
import { awaitCluster, needCluster } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

const TIMEOUT_MS = 10 * 60_000;

export const awaitGitops: Executor<'await-gitops'> = async (_step, context) => {
  const cluster = needCluster(context);
  const sources = cluster.design.objects.filter(
    ({ origin, secret }) => origin === 'kubernetes.gitops' && !secret,
  );
  const { namespace = '' } = cluster.design.gitops ?? {};
  let asked = 0;
  await awaitCluster(
    context,
    {
      timeoutMs: TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.gitops-source', `the first repository is not applied: ${last}`, {
          advice: `check url, branch, path and key of kubernetes.gitops, and \`kubectl -n ${namespace} get pods\`; then run apply again`,
        }),
    },
    async (waiting) => {
      asked += 1;
      for (const source of sources) {
        const sync = await stateOf(cluster, source);
        if (!sync || sync.state === 'ready') continue;
        waiting(`${refText(source.ref)}: ${sync.message}`);
        return undefined;
      }
      return true;
    },
  );
  return asked === 1 ? ALREADY : DONE;
};

async function stateOf({ client }: ClusterAccess, { ref }: ManagedObject) {
  const resource = await client.resourceOf(ref.apiVersion, ref.kind);
  const live = await client.get(resource, ref.name, ref.namespace);
  return syncStateOf(ref.kind, isMapping(live) ? live : {});
}
