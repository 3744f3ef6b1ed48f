/** Applies a plan: with the leases it needs, after planning again, and never another plan than the one that was decided on. */
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import type { Fence } from '../../session/context.js';
import type { ApplyResult, Session } from '../../session/index.js';
import {
  differingSteps,
  estimatedDowntime,
  isDisruptive,
  type Plan,
  type PlanRequest,
  type Step,
} from '../../session/plan/index.js';
import { CLUSTERS, SITES } from '../api/group.js';
import { type ClusterSpec, knownSite, type Named, readCluster, readSite } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import type { HeldLease } from '../lease/held-lease.js';
import { fitsWindow } from '../policy/decide.js';
import { sameProxmox } from '../sites/same-proxmox.js';
import { type ClusterAccess, openCluster } from './open-cluster.js';
import { reconcileSite } from './reconcile-site.js';
import { isPassing } from './words-of.js';

interface RunOrder {
  readonly cluster: Named<ClusterSpec>;
  readonly access: ClusterAccess;
  readonly request: PlanRequest;
  readonly plan: Plan;
  /** When the window closes. */
  readonly until?: number;
  /** Told once the same plan was made again, before anything is written. */
  readonly onStart: (run: { readonly epoch: number }) => Promise<void>;
  readonly onEvent: (event: RunEvent) => void;
}

export type RunEnd =
  /** Another replica works on it, or another cluster's nodes are taken away on a host that it needs. */
  | { readonly end: 'busy'; readonly on: 'cluster' | 'host'; readonly by: string }
  /** What is there, or what is wanted, is no longer what the plan was made for. */
  | { readonly end: 'changed'; readonly differs: readonly string[] }
  /** A person or another program holds the lock in Proxmox. */
  | { readonly end: 'locked'; readonly message: string }
  | { readonly end: 'done' }
  | { readonly end: 'failed' | 'interrupted'; readonly message: string; readonly leaseLost: boolean };

/**
 * Names of hosts have no dots, so no two of these names are equal, whatever clusters and sites are called: a site `a-b` with
 * a host `c` is not a site `a` with a host `b-c`, and no cluster is called as a host.
 */
export function leaseName(cluster: string): string {
  return `oxherd-cluster.${cluster}`;
}

export function hostLeaseName(site: string, host: string): string {
  return `oxherd-host.${host.toLowerCase()}.${site}`;
}

function runLeaseName(site: string, slot: number): string {
  return `oxherd-run.${slot}.${site}`;
}

export async function runCluster(context: ControllerContext, order: RunOrder): Promise<RunEnd> {
  const { leases, namespace: own } = context;
  const { cluster, plan } = order;
  const main = await leases.acquire(cluster.namespace, leaseName(cluster.name));
  if ('by' in main) return { end: 'busy', on: 'cluster', by: main.by };
  const others = await leases.acquireAll(own, await sharedLeases(context, order, plan));
  if ('by' in others) {
    await main.held.release();
    return { end: 'busy', on: 'host', by: others.by };
  }
  const held = [main.held, ...others.held];
  try {
    return await withLeases(context, order, main.held, held);
  } finally {
    await Promise.all(held.map((lease) => lease.release()));
  }
}

/** One disruption per Proxmox host across all clusters, and so many runs per site. */
async function sharedLeases(
  context: ControllerContext,
  { access }: RunOrder,
  { steps }: Plan,
): Promise<string[]> {
  const { leases, namespace } = context;
  const disruptive = steps.filter((step) => isDisruptive(step.impact));
  if (disruptive.length === 0) return [];
  const site = await proxmoxName(context, access.site.name);
  const hosts = new Map(access.loaded.config.nodes.map(({ name, host }) => [name, host]));
  const concerned = disruptive.flatMap(
    ({ node, load }) => load.host ?? (node === undefined ? [] : (hosts.get(node) ?? [])),
  );
  const hostLeases = [...new Set(concerned)].map((host) => hostLeaseName(site, host));
  const slots = Array.from({ length: access.site.spec.limits.disruptiveRuns }, (_, index) =>
    runLeaseName(site, index),
  );
  // Any free slot will do: it is tried in turn, and given back at once where the hosts are not free.
  for (const slot of slots) {
    const got = await leases.acquire(namespace, slot);
    if ('by' in got) continue;
    await got.held.release();
    return [...hostLeases, slot];
  }
  return [...hostLeases, ...slots.slice(0, 1)];
}

/** Which site stands for the Proxmox: where several point at it, the first. One that was not asked yet is asked now. */
async function proxmoxName(context: ControllerContext, name: string): Promise<string> {
  const list = async () => (await context.client.list(SITES)).map((object) => knownSite(readSite(object)));
  const sites = await list();
  const unasked = sites.filter(({ asked }) => !asked);
  for (const site of unasked) await reconcileSite(context, site.name);
  return sameProxmox(name, unasked.length === 0 ? sites : await list()).first;
}

async function withLeases(
  context: ControllerContext,
  order: RunOrder,
  main: HeldLease,
  held: readonly HeldLease[],
): Promise<RunEnd> {
  const fence: Fence = {
    mark: { id: context.fleet, lease: main.key, epoch: main.epoch },
    gate: {
      async open() {
        for (const { gate } of held) await gate.open();
      },
      isOpen: () => held.every(({ gate }) => gate.isOpen()),
    },
    lost: AbortSignal.any(held.map(({ lost }) => lost)),
  };
  const session = await openCluster(context, order.access, { fence });
  try {
    return await planAndApply(context, order, session, main);
  } catch (error) {
    const { code, message } = OxherdError.from(error);
    if (code === 'lock.held') return { end: 'locked', message };
    if (fence.lost.aborted || context.signal.aborted)
      return { end: 'interrupted', message, leaseLost: fence.lost.aborted };
    throw error;
  } finally {
    await session.close();
  }
}

async function planAndApply(
  context: ControllerContext,
  order: RunOrder,
  session: Session,
  main: HeldLease,
): Promise<RunEnd> {
  const { cluster, plan } = order;
  // An earlier holder of the lease may have left tasks behind: they end before anything is compared.
  const again = await session.plan(order.request, { settled: true });
  if (again.plan.planId !== plan.planId) return { end: 'changed', differs: differingSteps(plan, again.plan) };
  const now = await context.client.get(CLUSTERS, cluster.name, cluster.namespace);
  const same =
    now && readCluster(now).generation === cluster.generation && readCluster(now).deleted === cluster.deleted;
  if (!same) return { end: 'changed', differs: ['the OxherdCluster was changed'] };
  await order.onStart({ epoch: main.epoch });
  const run = session.apply(again, {
    command: 'oxherd controller',
    onEvent: order.onEvent,
    mayDisrupt: (step) => fitsWindow(order.until, context.time.now(), worstSeconds(again.plan.steps, step)),
  });
  return endOf(await run.result, await failures(run), main.lost.aborted);
}

/** Where a step is no part of a roll, what a component's restart takes at worst. */
const ALONE_SECONDS = 120;

function worstSeconds(steps: readonly Step[], { node }: Step): number {
  return (node === undefined ? undefined : estimatedDowntime(steps, node)?.most) ?? ALONE_SECONDS;
}

async function failures(run: AsyncIterable<RunEvent>): Promise<{ code: string; text: string }[]> {
  const failed: { code: string; text: string }[] = [];
  for await (const event of run)
    if (event.type === 'step-failed') {
      const { code, message, advice } = event.error;
      failed.push({ code, text: `${event.step}: ${message}${advice === undefined ? '' : ` (${advice})`}` });
    }
  return failed;
}

function endOf(
  result: ApplyResult,
  failed: readonly { code: string; text: string }[],
  leaseLost: boolean,
): RunEnd {
  if (result.outcome === 'done') return { end: 'done' };
  if (result.outcome === 'declined') return { end: 'interrupted', message: 'declined', leaseLost };
  const message = failed.map(({ text }) => text).join('; ');
  const passing = failed.length > 0 && failed.every(({ code }) => isPassing(code));
  if (result.outcome === 'interrupted' || leaseLost || passing)
    return { end: 'interrupted', message, leaseLost };
  return { end: 'failed', message: message === '' ? 'the run did not finish' : message, leaseLost };
}
