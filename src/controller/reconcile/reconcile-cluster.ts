/** One OxherdCluster, once: read, plan, decide, apply, say how it is. Everything can be done again at any point. */

import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { clusterTag } from '../../formats/marks/cluster-names.js';
import { healthVerdict } from '../../health/condition.js';
import { OxherdError } from '../../model/error.js';
import { formatVersion } from '../../model/version.js';
import { hasDrift, incompleteText, type PreparedPlan, type UnreadPart } from '../../session/plan/index.js';
import type { Survey } from '../../session/plan/survey.js';
import { CLUSTERS, FINALIZER } from '../api/group.js';
import { type ClusterSpec, knownSite, type Named, readCluster, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import {
  fails,
  holds,
  progress,
  settled,
  stalled,
  unknown,
  type Verdicts,
  waiting,
} from '../policy/conditions.js';
import { timeZoneProblem } from '../policy/windows.js';
import { backUpCluster } from './backup-cluster.js';
import { CONFLICT, claimCluster } from './claim.js';
import { deleteCluster } from './delete-cluster.js';
import { recordEvent } from './events.js';
import { type ClusterAccess, createSecrets, openCluster, prepareAccess, runsIn } from './open-cluster.js';
import { supersedePlans } from './plan-objects.js';
import { pursuePlan } from './pursue-plan.js';
import { isPassing, wordsOf } from './words-of.js';
import { timestamp, writeStatus } from './write-status.js';

/** Milliseconds until the next look; `undefined`: there is nothing left to look at. */
type Again = number | undefined;

/** While an error may pass by itself, such as a Proxmox that does not answer. */
const RETRY_MS = 60_000;

export async function reconcileCluster(
  context: ControllerContext,
  namespace: string,
  name: string,
): Promise<Again> {
  const object = await context.client.get(CLUSTERS, name, namespace);
  if (!object) {
    context.metrics.forget({ namespace, name });
    return undefined;
  }
  const cluster = readCluster(object);
  if (cluster.deleted) return deleteCluster(context, cluster);
  if (!cluster.finalizers.includes(FINALIZER)) await addFinalizer(context, cluster);
  if (cluster.spec.suspend) {
    await writeStatus(context, cluster, {
      ...waiting('Suspended', 'spec.suspend is true: neither planned nor applied'),
      AwaitingApproval: fails('Suspended', ''),
    });
    return undefined;
  }
  const ready = await configured(context, cluster);
  if (!ready) return Math.min(cluster.spec.interval, RETRY_MS);
  const again = await observed(context, cluster, ready);
  const backup = await backUpCluster(context, cluster, ready.access);
  return again === undefined || backup === undefined ? again : Math.min(again, backup);
}

async function addFinalizer(
  { client }: ControllerContext,
  { name, namespace, finalizers, object }: Named<ClusterSpec>,
) {
  const { resourceVersion } = object.metadata;
  const metadata = { resourceVersion, finalizers: [...finalizers, FINALIZER] };
  await client.patch(CLUSTERS, name, { metadata }, { kind: 'merge', namespace });
}

interface Ready {
  readonly access: ClusterAccess;
  readonly claim: string;
}

/** `undefined`: the config, or something that it needs, is not valid; the conditions say what. */
async function configured(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<Ready | undefined> {
  try {
    const { policy, backup } = cluster.spec;
    const zones = [...policy.windows, ...(backup ? [backup] : [])].map(({ timeZone }) => timeZone);
    const zone = zones.map(timeZoneProblem).find(Boolean);
    if (zone !== undefined) throw new OxherdError('fleet.time-zone', `timeZone: ${zone}`);
    const access = await prepareAccess(context, cluster);
    return { access, claim: await claimCluster(context, cluster, access) };
  } catch (error) {
    if (isKubernetesError(error)) throw error;
    const message = wordsOf(error);
    const conflict = OxherdError.from(error).code === CONFLICT;
    await writeStatus(context, cluster, {
      ...stalled(conflict ? 'Conflict' : 'ConfigInvalid', message),
      ConfigValid: fails(conflict ? 'Conflict' : 'Invalid', message),
      AwaitingApproval: fails(conflict ? 'Conflict' : 'ConfigInvalid', ''),
    });
    return undefined;
  }
}

interface Sight {
  readonly prepared: PreparedPlan;
  readonly healthy: Verdicts;
  /** The controller runs in this very cluster. */
  readonly self: boolean;
}

async function observed(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  { access, claim }: Ready,
): Promise<Again> {
  const valid = { ConfigValid: holds('Valid') };
  let sight: Sight;
  let found = access;
  try {
    sight = await look(context, found);
    if (access.secrets === undefined) {
      // Nothing there belongs to other secrets, or the look would have failed.
      const secrets = await createSecrets(context, cluster);
      await recordEvent(
        context,
        cluster.object,
        'Normal',
        'SecretsCreated',
        'created the secrets of the cluster',
      );
      found = { ...access, secrets };
      sight = await look(context, found);
    }
  } catch (error) {
    if (isKubernetesError(error) && error.where === undefined) throw error;
    const message = wordsOf(error);
    context.log.error('the cluster could not be observed', {
      namespace: cluster.namespace,
      name: cluster.name,
      message,
    });
    const passes = isPassing(OxherdError.from(error).code);
    const verdict = passes ? progress('NotObserved', message) : stalled('NotObserved', message);
    const verdicts = { ...valid, ...verdict, Observed: fails('Failed', message) };
    await writeStatus(context, cluster, verdicts, { claim });
    return Math.min(cluster.spec.interval, RETRY_MS);
  }
  const { prepared, healthy, self } = sight;
  const { plan } = prepared;
  await tellOfCertificates(context, cluster, healthy);
  const verdicts: Verdicts = {
    ...valid,
    ...healthy,
    Observed:
      plan.incomplete.length === 0 ? holds('Succeeded') : unknown('Incomplete', unreadText(plan.incomplete)),
    Drifted: hasDrift(plan)
      ? holds('Drift', plan.notes.find(({ code }) => code === 'drift')?.message ?? 'changed outside oxherd')
      : fails('None', ''),
  };
  const facts = { claim, ...factsOf(context, found) };
  if (plan.steps.length > 0 || plan.problems.some(({ scope }) => scope === 'plan'))
    return pursuePlan(context, { cluster, access: found, prepared, verdicts, facts, self });
  context.metrics.set('oxherd_cluster_plan_steps', 0, labelsOf(cluster));
  const { namespace, name, uid } = cluster;
  if (readStatus(cluster.object).plan)
    await supersedePlans(context, { kind: CLUSTERS.kind, namespace, name, uid });
  // Without steps there is nothing to approve, whatever is in the way.
  const [problem] = plan.problems.map(({ message, advice }) => `${message} (${advice})`);
  const unread = plan.incomplete.length === 0 ? undefined : unreadText(plan.incomplete);
  const blind =
    unread ??
    (prepared.unobserved.length === 0 ? problem : `not observed: ${prepared.unobserved.join(', ')}`);
  const ill = healthy.Healthy?.status === 'False' ? healthy.Healthy.message : undefined;
  await writeStatus(
    context,
    cluster,
    {
      ...verdicts,
      ...(ill !== undefined
        ? waiting('Unhealthy', ill)
        : blind !== undefined
          ? waiting('NotObserved', blind)
          : settled('the cluster matches its config')),
      InSync: blind === undefined ? holds('Succeeded') : unknown('NotObserved', blind),
      AwaitingApproval: fails('NothingToApprove', ''),
      LockHeld: fails('Free', ''),
    },
    { ...facts, plan: null, run: null, nextWindow: null },
  );
  const { interval } = cluster.spec;
  return ill === undefined && blind === undefined ? interval : Math.min(interval, RETRY_MS);
}

function unreadText(parts: readonly UnreadPart[]): string {
  return `${incompleteText(parts)} ${parts.map(({ what, why }) => `${what}: ${why}`).join('; ')}`;
}

function labelsOf({ namespace, name }: Named<ClusterSpec>) {
  return { namespace, name };
}

/** A site that does not answer is waited for without a place: others are looked at meanwhile. */
async function look(context: ControllerContext, access: ClusterAccess): Promise<Sight> {
  const leave = knownSite(access.site).reachable ? await context.looks?.enter(access.site.name) : undefined;
  try {
    return await survey(context, access);
  } finally {
    leave?.();
  }
}

async function survey(context: ControllerContext, access: ClusterAccess): Promise<Sight> {
  const session = await openCluster(context, access);
  try {
    const { prepared, conditions } = await session.survey();
    const self = runsIn(context, session);
    return { prepared, healthy: healthOf(prepared, conditions), self };
  } finally {
    await session.close();
  }
}

/** A cluster that is yet to be built is not ill. */
function healthOf({ observed, plan }: PreparedPlan, conditions: Survey['conditions']): Verdicts {
  const bad = conditions.filter(({ state }) => state === 'failed' || state === 'unknown');
  const ends = bad.filter(({ layer, state }) => layer === 'certificates' && state === 'failed');
  const words = (some: Survey['conditions']) =>
    some
      .slice(0, 5)
      .map(({ subject, message }) => (subject === undefined ? message : `${subject}: ${message}`))
      .join('; ');
  const certificates = {
    CertificatesValid: ends.length === 0 ? holds('Valid') : fails('EndsSoon', words(ends)),
  };
  if (observed.vms.listed.length === 0 && plan.incomplete.length === 0)
    return { ...certificates, Healthy: unknown('NotBuilt', 'there are no VMs yet') };
  switch (healthVerdict(conditions, plan.incomplete.length === 0)) {
    case 'healthy':
      return { ...certificates, Healthy: holds('Healthy') };
    case 'unhealthy':
      return { ...certificates, Healthy: fails('Unhealthy', words(bad)) };
    case 'unknown':
      return { ...certificates, Healthy: unknown('Incomplete', words(bad) || unreadText(plan.incomplete)) };
  }
}

/** Said once, when it comes near. */
async function tellOfCertificates(
  context: ControllerContext,
  { object }: Named<ClusterSpec>,
  { CertificatesValid: verdict }: Verdicts,
): Promise<void> {
  const before = readStatus(object).conditions.find(({ type }) => type === 'CertificatesValid');
  if (verdict?.status === 'False' && before?.status !== 'False')
    await recordEvent(context, object, 'Warning', 'CertificateEnds', verdict.message);
}

function factsOf({ time }: ControllerContext, { loaded: { config } }: ClusterAccess) {
  return {
    kubernetes: formatVersion(config.cluster.kubernetes),
    talos: formatVersion(config.talos.version),
    nodes: config.nodes.length,
    hosts: [...new Set(config.nodes.map(({ host }) => host))].sort().slice(0, 64),
    tag: clusterTag(config.cluster),
    lastObserved: timestamp(time.now()),
  };
}
