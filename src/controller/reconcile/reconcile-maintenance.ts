/** One HostMaintenance, once: a Proxmox host is drained for all clusters of its site as one plan, and brought back when the object is deleted. */
import { sha256Hex } from '../../formats/text/hash.js';
import type { PlanRequest, PreparedPlan } from '../../session/plan/index.js';
import { CLUSTERS, FINALIZER, MAINTENANCES, SITES } from '../api/group.js';
import {
  type ClusterSpec,
  knownSite,
  type MaintenanceSpec,
  type Named,
  readCluster,
  readMaintenance,
  readSite,
} from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { rank } from '../policy/decide.js';
import { sameProxmox } from '../sites/same-proxmox.js';
import { approvalsFor, closeApproval } from './approvals.js';
import { type ClusterAccess, openCluster, prepareAccess, runsIn } from './open-cluster.js';
import { impactOf } from './plan-objects.js';
import { runCluster } from './run-cluster.js';
import { changesStatus } from './unchanged.js';
import { wordsOf } from './words-of.js';

type Phase = 'Pending' | 'AwaitingApproval' | 'Draining' | 'Drained' | 'Returning' | 'Failed';

/** What one cluster has on the host. */
interface Share {
  readonly cluster: Named<ClusterSpec>;
  readonly access: ClusterAccess;
  readonly prepared: PreparedPlan;
  /** The controller runs in it. */
  readonly self: boolean;
}

const RETRY_MS = 60_000;
const BUSY_MS = 20_000;
const LOOK_MS = 300_000;

export async function reconcileMaintenance(
  context: ControllerContext,
  name: string,
): Promise<number | undefined> {
  const object = await context.client.get(MAINTENANCES, name);
  if (!object) return undefined;
  const maintenance = readMaintenance(object);
  try {
    if (maintenance.deleted) return await giveBack(context, maintenance);
    if (!maintenance.finalizers.includes(FINALIZER))
      await setFinalizers(context, maintenance, [...maintenance.finalizers, FINALIZER]);
    return await drain(context, maintenance);
  } catch (error) {
    await setPhase(context, maintenance, 'Failed', { message: wordsOf(error) });
    return RETRY_MS;
  }
}

async function drain(context: ControllerContext, maintenance: Named<MaintenanceSpec>): Promise<number> {
  const { host, duration, acceptPodsDown } = maintenance.spec;
  const shares = await sharesOf(context, maintenance, {
    kind: 'drain-host',
    host,
    forSeconds: duration / 1_000,
    stay: [],
    move: [],
    accept: { podsDown: acceptPodsDown, noQuorum: false },
  });
  const [problem] = shares.flatMap((share) =>
    problemsOf(share, context.time.now(), `oxherd host drain ${host}`),
  );
  if (problem !== undefined) throw new Error(problem);
  const open = shares.filter(({ prepared }) => prepared.plan.steps.length > 0);
  if (open.length === 0) {
    await setPhase(context, maintenance, 'Drained', { planId: null, clusters: listOf(shares) });
    return LOOK_MS;
  }
  // All clusters or none: one id over the plans of all of them.
  const planId = sha256Hex(
    open
      .map(({ prepared, cluster }) => `${cluster.uid} ${prepared.plan.planId}`)
      .sort()
      .join('\n'),
  );
  const approvals = await approvalsFor(
    context,
    { namespace: context.namespace, name: maintenance.name },
    planId,
  );
  const goesOn = phaseOf(maintenance) === 'Draining';
  if (!goesOn && !approvals.valid) {
    const why = `the plan is now ${planId.slice(0, 12)}`;
    for (const { name } of approvals.stale)
      await closeApproval(context, context.namespace, name, 'Stale', why);
    await setPhase(context, maintenance, 'AwaitingApproval', { planId, clusters: listOf(shares) });
    return LOOK_MS;
  }
  await setPhase(context, maintenance, 'Draining', { planId, clusters: listOf(shares) });
  const use = `drain of ${host} by ${context.identity}`;
  for (const { name } of approvals.open) await closeApproval(context, context.namespace, name, 'Used', use);
  return carryOut(context, maintenance, open);
}

/** Cluster after cluster; one that is busy or stopped is tried again, and those after it wait. */
async function carryOut(
  context: ControllerContext,
  maintenance: Named<MaintenanceSpec>,
  shares: readonly Share[],
): Promise<number> {
  for (const { cluster, access, prepared } of shares) {
    const end = await runCluster(context, {
      cluster,
      access,
      request: prepared.request,
      plan: prepared.plan,
      onStart: async () => {},
      onEvent: (event) =>
        context.log.info(event.type, { maintenance: maintenance.name, cluster: cluster.name, event }),
    });
    context.log.info('host maintenance', { name: maintenance.name, cluster: cluster.name, end: end.end });
    if (end.end === 'failed') throw new Error(`${cluster.name}: ${end.message}`);
    if (end.end !== 'done') return end.end === 'busy' || end.end === 'locked' ? BUSY_MS : 1_000;
  }
  return 0;
}

async function giveBack(
  context: ControllerContext,
  maintenance: Named<MaintenanceSpec>,
): Promise<number | undefined> {
  if (!maintenance.finalizers.includes(FINALIZER)) return undefined;
  const { host } = maintenance.spec;
  const shares = await sharesOf(context, maintenance, { kind: 'return-host', host });
  const [problem] = shares.flatMap((share) =>
    problemsOf(share, context.time.now(), `oxherd host return ${host}`),
  );
  if (problem !== undefined) throw new Error(problem);
  const open = shares.filter(({ prepared }) => prepared.plan.steps.length > 0);
  if (open.length > 0) {
    await setPhase(context, maintenance, 'Returning', { clusters: listOf(shares) });
    return carryOut(context, maintenance, open);
  }
  const others = maintenance.finalizers.filter((one) => one !== FINALIZER);
  await setFinalizers(context, maintenance, others);
  return undefined;
}

async function sharesOf(
  context: ControllerContext,
  { spec }: Named<MaintenanceSpec>,
  request: PlanRequest,
): Promise<Share[]> {
  const namespaces = context.namespaces.length === 0 ? [undefined] : context.namespaces;
  const lists = await Promise.all(
    namespaces.map((namespace) =>
      context.client.list(CLUSTERS, namespace === undefined ? {} : { namespace }),
    ),
  );
  const clusters = lists.flat().map(readCluster);
  const sites = (await context.client.list(SITES)).map((object) => knownSite(readSite(object)));
  const same = new Set([spec.siteRef.name, ...sameProxmox(spec.siteRef.name, sites).others]);
  const shares: Share[] = [];
  for (const cluster of clusters) {
    if (!same.has(cluster.spec.siteRef.name) || cluster.deleted) continue;
    const access = await prepareAccess(context, cluster);
    const session = await openCluster(context, access);
    const self = runsIn(context, session);
    const prepared = await session.plan(request).finally(() => session.close());
    shares.push({ cluster, access, prepared, self });
  }
  return shares;
}

/** Why the host cannot be drained for this cluster now. One with nothing on the host is in no one's way. */
function problemsOf({ cluster, prepared: { plan }, self }: Share, now: number, command: string): string[] {
  const found = plan.problems.map(({ message, advice }) => `${cluster.name}: ${message} (${advice})`);
  if (plan.steps.length === 0) return found;
  const { suspend, policy } = cluster.spec;
  if (suspend)
    found.push(`${cluster.name} is suspended (resume it: oxherd fleet suspend ${cluster.name} --resume)`);
  if (policy.freezeUntil !== undefined && now < policy.freezeUntil)
    found.push(`${cluster.name}: changes are frozen until ${new Date(policy.freezeUntil).toISOString()}`);
  if (self && rank(impactOf(plan)) > rank('component'))
    found.push(
      `${cluster.name}: the controller runs in this cluster (run \`${command}\` from outside of it)`,
    );
  return found;
}

function listOf(shares: readonly Share[]) {
  return shares.map(({ cluster: { namespace, name }, prepared: { plan } }) => ({
    namespace,
    name,
    planId: plan.planId,
    done: plan.steps.length === 0,
  }));
}

function phaseOf({ object: { status } }: Named<MaintenanceSpec>): unknown {
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}

async function setPhase(
  { client, log, time }: ControllerContext,
  maintenance: Named<MaintenanceSpec>,
  phase: Phase,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const status = { phase, message: null, observedGeneration: maintenance.generation, ...facts };
  const now = await client.get(MAINTENANCES, maintenance.name);
  if (!now || !changesStatus(now.status, status, time.now())) return;
  log.info('host maintenance', { name: maintenance.name, phase });
  await client.patch(MAINTENANCES, maintenance.name, { status }, { kind: 'merge', subresource: 'status' });
}

async function setFinalizers(
  { client }: ControllerContext,
  { name }: Named<MaintenanceSpec>,
  finalizers: readonly string[],
): Promise<void> {
  await client.patch(MAINTENANCES, name, { metadata: { finalizers } }, { kind: 'merge' });
}
