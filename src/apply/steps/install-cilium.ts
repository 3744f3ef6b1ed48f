import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  DAEMON_SETS,
  JOBS,
  PODS,
} from '../../clients/kubernetes/resources.js';
import {
  CILIUM_INSTALLER,
  CILIUM_NAMESPACE,
  CILIUM_VALUES,
  type CiliumDesign,
  ciliumAccount,
  ciliumBinding,
  ciliumJob,
  ciliumValuesObject,
} from '../../design/kubernetes/cilium.js';
import { APPLIED } from '../../design/kubernetes/managed-object.js';
import { attempt } from '../../observe/attempt.js';
import type { StepOf } from '../../plan/steps.js';
import { awaitCluster, needCluster, whenApiAnswers } from '../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor, type StepContext } from '../support/context.js';
import { StepError } from '../support/read-vm.js';
import { put } from './apply-object.js';

const JOB_TIMEOUT_MS = 20 * 60_000;

/** The Job has all rights while it runs, and none before or after. */
export const installCilium: Executor<'install-cilium'> = async (step, context) => {
  const cluster = needCluster(context);
  const { client, design } = cluster;
  const { cilium } = design;
  if (!cilium || cilium.hash !== step.hash) {
    throw new StepError('apply.object-changed', 'Cilium is not what was planned', {
      advice: 'the file has changed since the plan was made; run plan again',
    });
  }
  if (await whenApiAnswers(context, 'Cilium', () => isInstalled(cluster, cilium))) return ALREADY;
  const command = await whenApiAnswers(context, 'Cilium', () => commandNow(cluster));
  const job = ciliumJob(cilium, command);
  await whenApiAnswers(context, 'Cilium', async () => {
    await put(cluster, ciliumValuesObject(cilium, false));
    await put(cluster, ciliumAccount());
    await put(cluster, ciliumBinding());
    const there = await client.get(JOBS, CILIUM_INSTALLER, CILIUM_NAMESPACE);
    // One that an earlier run began for the very same thing goes on.
    if (there && there.metadata?.annotations?.[APPLIED] !== job.metadata.annotations?.[APPLIED]) {
      await client.delete(JOBS, CILIUM_INSTALLER, { namespace: CILIUM_NAMESPACE, propagation: 'Foreground' });
      await client.waitFor(JOBS, CILIUM_INSTALLER, CILIUM_NAMESPACE, (left) => left === undefined, {
        timeoutMs: 120_000,
      });
    }
    await put(cluster, job);
  });
  try {
    await awaitJob(step, context, cluster);
  } finally {
    await attempt(() => client.delete(CLUSTER_ROLE_BINDINGS, CILIUM_INSTALLER));
  }
  await whenApiAnswers(context, 'Cilium', () => put(cluster, ciliumValuesObject(cilium, true)));
  return DONE;
};

async function isInstalled({ client }: ClusterAccess, cilium: CiliumDesign): Promise<boolean> {
  const [values, agents] = await Promise.all([
    client.get(CONFIG_MAPS, CILIUM_VALUES, CILIUM_NAMESPACE),
    client.get(DAEMON_SETS, 'cilium', CILIUM_NAMESPACE),
  ]);
  const image = agents?.spec?.template.spec?.containers[0]?.image ?? '';
  return values?.metadata?.annotations?.[APPLIED] === cilium.hash && image.includes(`:${cilium.version}`);
}

/** The plan may have been made before there was a cluster to look at. */
async function commandNow({ client }: ClusterAccess): Promise<'install' | 'upgrade'> {
  return (await client.get(DAEMON_SETS, 'cilium', CILIUM_NAMESPACE)) ? 'upgrade' : 'install';
}

async function awaitJob(
  step: StepOf<'install-cilium'>,
  context: StepContext,
  cluster: ClusterAccess,
): Promise<void> {
  const { client } = cluster;
  await awaitCluster(
    context,
    {
      timeoutMs: JOB_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.cilium', `Cilium ${step.version} could not be installed: ${last}`, {
          advice: `see \`kubectl -n ${CILIUM_NAMESPACE} describe job ${CILIUM_INSTALLER}\`; then run apply again`,
        }),
    },
    async (waiting) => {
      const job = await client.get(JOBS, CILIUM_INSTALLER, CILIUM_NAMESPACE);
      const is = (type: string) =>
        job?.status?.conditions?.some(
          (condition) => condition.type === type && condition.status === 'True',
        ) === true;
      if (is('Complete')) return true;
      if (!job || is('Failed')) {
        throw new StepError('apply.cilium', `the Job that installs Cilium ${step.version} has failed`, {
          advice: `its last words: ${(await failingServiceLog(cluster)) || 'none'}`,
        });
      }
      const { active = 0, failed = 0 } = job.status ?? {};
      waiting(
        `the Job ${active > 0 ? 'runs' : 'waits for a node'}${failed > 0 ? `, ${failed} tries failed` : ''}`,
      );
      return undefined;
    },
  );
}

async function failingServiceLog({ client }: ClusterAccess): Promise<string> {
  const words = await attempt(async () => {
    const pods = await client.list(PODS, {
      namespace: CILIUM_NAMESPACE,
      labelSelector: `app=${CILIUM_INSTALLER}`,
    });
    const name = pods.at(-1)?.metadata?.name;
    return name === undefined ? '' : client.logs(name, CILIUM_NAMESPACE, { tailLines: 5 });
  });
  return words.known ? words.value.trim().split('\n').join(' | ') : '';
}
