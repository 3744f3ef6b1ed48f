/** One HostMaintenance, once: a Proxmox host is drained for all clusters of its site as one plan, and brought back when the object is deleted. */
import { sha256Hex } from '../../formats/text/hash.js';
import type { PlanRequest, PreparedPlan } from '../../session/plan/index.js';
import { CLUSTERS, FINALIZER, MAINTENANCES } from '../api/group.js';
import {
  type ClusterSpec,
  type MaintenanceSpec,
  type Named,
  readCluster,
  readMaintenance,
} from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { approvalsFor, closeApproval } from './approvals.js';
import { type ClusterAccess, openCluster, prepareAccess } from './open-cluster.js';
import { runCluster } from './run-cluster.js';
import { wordsOf } from './words-of.js';

type Phase = 'Pending' | 'AwaitingApproval' | 'Draining' | 'Drained' | 'Returning' | 'Failed';

/** What one cluster has on the host. */
interface Share {
  readonly cluster: Named<ClusterSpec>;
  readonly access: ClusterAccess;
  readonly prepared: PreparedPlan;
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
    if (!maintenance.finalizers.includes(FINALIZER)) await setFinalizers(context, maintenance, [FINALIZER]);
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
  const problem = shares.flatMap(({ prepared, cluster }) =>
    prepared.plan.problems.map(({ message, advice }) => `${cluster.name}: ${message} (${advice})`),
  )[0];
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
  const { given, stale } = await approvalsFor(
    context,
    { namespace: context.namespace, name: maintenance.name },
    planId,
  );
  const goesOn = phaseOf(maintenance) === 'Draining';
  if (!goesOn && (!given || context.time.now() >= given.expires)) {
    for (const { name } of stale)
      await closeApproval(
        context,
        context.namespace,
        name,
        'Stale',
        `the plan is now ${planId.slice(0, 12)}`,
      );
    await setPhase(context, maintenance, 'AwaitingApproval', { planId, clusters: listOf(shares) });
    return LOOK_MS;
  }
  await setPhase(context, maintenance, 'Draining', { planId, clusters: listOf(shares) });
  if (given)
    await closeApproval(
      context,
      context.namespace,
      given.name,
      'Used',
      `drain of ${host} by ${context.identity}`,
    );
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
  const problem = shares.flatMap(({ prepared }) => prepared.plan.problems)[0];
  if (problem) throw new Error(`${problem.message} (${problem.advice})`);
  const open = shares.filter(({ prepared }) => prepared.plan.steps.length > 0);
  if (open.length > 0) {
    await setPhase(context, maintenance, 'Returning', { clusters: listOf(shares) });
    return carryOut(context, maintenance, open);
  }
  await setFinalizers(context, maintenance, []);
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
  const shares: Share[] = [];
  for (const cluster of clusters) {
    if (cluster.spec.siteRef.name !== spec.siteRef.name || cluster.deleted) continue;
    const access = await prepareAccess(context, cluster);
    const session = await openCluster(context, access);
    const prepared = await session.plan(request).finally(() => session.close());
    shares.push({ cluster, access, prepared });
  }
  return shares;
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
  { client, log }: ControllerContext,
  maintenance: Named<MaintenanceSpec>,
  phase: Phase,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const status = { phase, message: null, observedGeneration: maintenance.generation, ...facts };
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
