import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  GATEWAY_CLASSES,
  JOBS,
  PODS,
  SECRETS,
} from '../../../clients/kubernetes/resources.js';
import {
  CILIUM_INSTALLER,
  CILIUM_NAMESPACE,
  CILIUM_VALUES,
  type CiliumCommand,
  type CiliumDesign,
  ciliumAccount,
  ciliumBinding,
  ciliumJob,
  ciliumValuesObject,
} from '../../../design/kubernetes/cilium.js';
import { APPLIED } from '../../../design/kubernetes/managed-object.js';
import { OxherdError } from '../../../model/error.js';
import { attempt } from '../../../observe/attempt.js';
import { podOf } from '../../../observe/observe-workloads.js';
import type { StepOf } from '../../../plan/steps.js';
import { awaitCluster, needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor, type StepContext } from '../../support/context.js';
import { put } from '../../support/put-object.js';
import { StepError } from '../../support/read-vm.js';

const JOB_TIMEOUT_MS = 20 * 60_000;
const GATEWAY_TIMEOUT_MS = 10 * 60_000;

/** The Job has all rights while it runs, and none before or after. */
export const installCilium: Executor<'install-cilium'> = async (step, context) => {
  const cluster = needCluster(context);
  const { client, design } = cluster;
  const { cilium } = design;
  if (!cilium || cilium.hash !== step.hash) {
    throw new StepError('apply.object-changed', 'Cilium is not what was planned', {
      advice: 'oxherd.yaml changed since the plan was created; run plan again',
    });
  }
  if (await whenApiAnswers(context, 'Cilium', () => isInstalled(cluster, cilium))) return ALREADY;
  if (design.gatewayApi && cilium.gatewayApi) await awaitGatewayApi(context, cluster);
  await whenApiAnswers(context, 'Cilium', async () => {
    const releases = await releasesOf(cluster);
    const job = ciliumJob(cilium, commandFor(releases));
    await put(cluster, ciliumValuesObject(cilium, false));
    await put(cluster, ciliumAccount());
    await put(cluster, ciliumBinding());
    const existing = await client.get(JOBS, CILIUM_INSTALLER, CILIUM_NAMESPACE);
    // One that an earlier run began for the very same thing goes on.
    if (existing && isRunning(existing) && isFor(existing, cilium)) return;
    if (existing) {
      await client.delete(JOBS, CILIUM_INSTALLER, { namespace: CILIUM_NAMESPACE, propagation: 'Foreground' });
      await client.waitFor(JOBS, CILIUM_INSTALLER, CILIUM_NAMESPACE, (left) => left === undefined, {
        timeoutMs: 120_000,
      });
    }
    await dropDeadReleases(cluster, releases);
    await put(cluster, job);
  });
  try {
    await awaitJob(step, context, cluster);
  } catch (error) {
    throw await withoutRights(cluster, error);
  }
  await whenApiAnswers(context, 'rights of the Cilium installer', () =>
    client.delete(CLUSTER_ROLE_BINDINGS, CILIUM_INSTALLER),
  );
  await whenApiAnswers(context, 'Cilium', () => put(cluster, ciliumValuesObject(cilium, true)));
  return DONE;
};

/** A failed installer must not keep its rights: if they cannot be revoked now, the error names the command. */
async function withoutRights({ client }: ClusterAccess, error: unknown): Promise<unknown> {
  const revoked = await attempt(() => client.delete(CLUSTER_ROLE_BINDINGS, CILIUM_INSTALLER));
  if (revoked.known) return error;
  const { code, message, advice = '' } = OxherdError.from(error);
  return new StepError(
    code,
    `${message}; the installer still has cluster-admin rights, which could not be revoked: ${revoked.why}`,
    { cause: error, advice: `kubectl delete clusterrolebinding ${CILIUM_INSTALLER}; then: ${advice}` },
  );
}

async function isInstalled({ client }: ClusterAccess, cilium: CiliumDesign): Promise<boolean> {
  const [values, agents, gatewayClass] = await Promise.all([
    client.get(CONFIG_MAPS, CILIUM_VALUES, CILIUM_NAMESPACE),
    client.get(DAEMON_SETS, 'cilium', CILIUM_NAMESPACE),
    client.get(GATEWAY_CLASSES, 'cilium'),
  ]);
  if (cilium.gatewayApi && !gatewayClass) return false;
  const image = agents?.spec?.template.spec?.containers[0]?.image ?? '';
  return values?.metadata?.annotations?.[APPLIED] === cilium.hash && image.includes(`:${cilium.version}`);
}

function isRunning({ status }: Job): boolean {
  return !status?.conditions?.some(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
}

function isFor({ metadata }: Job, cilium: CiliumDesign): boolean {
  return metadata?.annotations?.[APPLIED]?.endsWith(`-${cilium.hash}`) === true;
}

/** Without its definitions the chart renders no GatewayClass, and the operator leaves Gateway API off until it restarts. */
async function awaitGatewayApi(context: StepContext, { client, design }: ClusterAccess): Promise<void> {
  await awaitCluster(
    context,
    {
      timeoutMs: GATEWAY_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.gateway-api', `the Gateway API for Cilium is missing: ${last}`, {
          advice: `Talos fetches it from ${design.manifestUrls.find((url) => url.includes('gateway-api')) ?? 'its URL'}: see \`talosctl get manifeststatus\` and whether the control planes reach that address`,
        }),
    },
    async (waiting) => {
      const name = 'gatewayclasses.gateway.networking.k8s.io';
      const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, name);
      const established = definition?.status?.conditions?.some(
        ({ type, status }) => type === 'Established' && status === 'True',
      );
      if (established) return true;
      waiting(`waiting for ${name}, which Talos applies`);
      return undefined;
    },
  );
}

interface Release {
  readonly secret: string;
  readonly status: string;
}

/** What Helm knows of Cilium; an empty list: it was never installed by it. */
async function releasesOf({ client }: ClusterAccess): Promise<Release[]> {
  const secrets = await client.list(SECRETS, {
    namespace: CILIUM_NAMESPACE,
    labelSelector: 'owner=helm,name=cilium',
  });
  return secrets.map(({ metadata }) => ({
    secret: metadata?.name ?? '',
    status: metadata?.labels?.status ?? '',
  }));
}

function isDeployed({ status }: Release): boolean {
  return status === 'deployed' || status === 'superseded';
}

/** The plan may have been made before there was a cluster to look at. */
function commandFor(releases: readonly Release[]): CiliumCommand {
  return releases.some(isDeployed) ? 'upgrade' : 'install';
}

/**
 * An installer that died leaves a release that Helm takes for one in progress and never touches again. Its record goes;
 * the objects it made carry Helm's marks and are taken over by the next try.
 */
async function dropDeadReleases({ client }: ClusterAccess, releases: readonly Release[]): Promise<void> {
  for (const { secret, status } of releases.filter((release) => !isDeployed(release))) {
    if (status === 'failed' && releases.some(isDeployed)) continue;
    await client.delete(SECRETS, secret, { namespace: CILIUM_NAMESPACE });
  }
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
      timeout: async (last) =>
        new StepError(
          'apply.cilium',
          `Cilium ${step.version} could not be installed: ${last}; ${await podState(cluster)}`,
          {
            advice: `see \`kubectl -n ${CILIUM_NAMESPACE} describe job ${CILIUM_INSTALLER}\`; then run apply again`,
          },
        ),
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
          advice: `its last log lines: ${(await lastLog(cluster, await newestPod(cluster))) || 'none'}`,
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

/** Why the Job is not at its end: the reason that Kubernetes gives for its newest pod, and what that pod wrote last. */
async function podState(cluster: ClusterAccess): Promise<string> {
  const pod = await newestPod(cluster);
  if (!pod) return 'it has no pod';
  const { phase, waiting, message } = podOf(pod);
  const reason = [waiting, message].filter((part) => part !== '').join(': ');
  const log = await lastLog(cluster, pod);
  return [
    `pod ${pod.metadata?.name} is ${phase}`,
    ...(reason === '' ? [] : [reason]),
    ...(log === '' ? [] : [`its last log lines: ${log}`]),
  ].join(', ');
}

async function newestPod({ client }: ClusterAccess): Promise<Pod | undefined> {
  const pods = await attempt(() =>
    client.list(PODS, { namespace: CILIUM_NAMESPACE, labelSelector: `app=${CILIUM_INSTALLER}` }),
  );
  const madeAt = ({ metadata }: Pod) => Date.parse(metadata?.creationTimestamp ?? '') || 0;
  return pods.known ? [...pods.value].sort((a, b) => madeAt(b) - madeAt(a))[0] : undefined;
}

/** Empty where there is none, as of a container that never started. */
async function lastLog({ client }: ClusterAccess, pod: Pod | undefined): Promise<string> {
  const name = pod?.metadata?.name;
  if (name === undefined) return '';
  const log = await attempt(() => client.logs(name, CILIUM_NAMESPACE, { tailLines: 5 }));
  return log.known ? log.value.trim().split('\n').join(' | ') : '';
}
