/** A plan that nothing under way will change: earlier tasks have ended, and machines that boot are back. */
import type { Observed } from '../../observe/observed.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { awaitMachines } from './await-machines.js';
import { type PlanRequest, type PreparedPlan, planFor } from './plan-request.js';
import { settleTasks } from './settle-tasks.js';

/** Requests that compare machines with the config, and would take one that boots for changed. */
const WAITS: ReadonlySet<PlanRequest['kind']> = new Set(['converge', 'drain-host', 'return-host']);

export async function settledPlan(
  context: SessionContext,
  site: Site,
  request: PlanRequest,
): Promise<PreparedPlan> {
  await settleTasks(context, site);
  if (request.kind === 'lose-host') return planFor(site, await withFencing(context, site, request));
  const prepared = await planFor(site, request);
  if (!WAITS.has(request.kind)) return prepared;
  const only = request.kind === 'converge' ? request.only : undefined;
  // Machines that get a new EPHEMERAL disk are waited for when they have started with it.
  if (request.kind === 'converge' && request.fresh) return prepared;
  const waited = await awaitMachines(prepared.design, onlyMachines(prepared.observed, only), {
    talos: site.machines.talos,
    client: site.client,
    clock: site.clock,
    signal: context.signal,
    progress: (message) => context.tell({ kind: 'progress', message }),
  });
  const first = waited ? await planFor(site, request) : prepared;
  if (request.kind !== 'drain-host' || first.plan.problems.length === 0) return first;
  const { awaitYoungNodes } = await import('./await-young-nodes.js');
  const { host } = request;
  return awaitYoungNodes(context, site, { first, host, plan: () => planFor(site, request) });
}

/** HA may be about to fence the host, and only those who watch learn that it has. */
async function withFencing(
  { signal, tell }: SessionContext,
  { client, clock }: Site,
  request: Extract<PlanRequest, { kind: 'lose-host' }>,
): Promise<PlanRequest> {
  if (request.off !== undefined) return request;
  const { awaitFencing } = await import('./await-fencing.js');
  const progress = (message: string) => tell({ kind: 'progress', message });
  const isFenced = await awaitFencing(request.host, { client, clock, signal, progress });
  return isFenced ? { ...request, off: 'fenced' } : request;
}

/** Nodes that this run leaves alone are not waited for. */
function onlyMachines(observed: Observed, only: readonly string[] | undefined): Observed {
  if (!only) return observed;
  const machines = Object.entries(observed.machines).filter(([node]) => only.includes(node));
  return { ...observed, machines: Object.fromEntries(machines) };
}
