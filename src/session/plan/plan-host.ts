/** Plans for a host that goes into maintenance, and for its return. */

import { gateConditions } from '../../health/gates.js';
import { attempt } from '../../observe/attempt.js';
import { observeEvictions } from '../../observe/evictions/observe-evictions.js';
import { largestMtu } from '../../observe/observe.js';
import { observeGates } from '../../observe/observe-gates.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { withVersions } from '../../observe/proxmox/host-versions.js';
import { withBridges } from '../../observe/proxmox/read-bridges.js';
import { drainOf, nodesDrainedFrom, nodesOnHost } from '../../plan/facts/drained-nodes.js';
import { type DrainDecision, type DrainRequest, decideDrain } from '../../plan/hosts/decide-drain.js';
import { drainHealthProblems } from '../../plan/hosts/drain-health.js';
import {
  type DrainAcceptance,
  drainProblems,
  haStateProblems,
  othersOnHost,
  podProblems,
} from '../../plan/hosts/drain-problems.js';
import { requestedPlace } from '../../plan/hosts/plan-drain.js';
import { returnProblems } from '../../plan/hosts/return-problems.js';
import type { Note, Plan, Problem } from '../../plan/plan.js';
import { type PlanOptions, planCluster } from '../../plan/plan-cluster.js';
import { resolveHosts, withHosts } from '../../plan/vms/node-host.js';
import type { Site } from '../connect/site.js';
import { look, planOptionsFor, type Situation } from './prepare-plan.js';

export interface HostDrainRequest extends DrainRequest {
  readonly kind: 'drain-host';
  readonly accept: DrainAcceptance;
}

export interface HostReturnRequest {
  readonly kind: 'return-host';
  readonly host: string;
}

type HostPlan = Situation & { readonly plan: Plan; readonly drain?: readonly DrainDecision[] };

/** With the versions and bridges of the hosts: nodes may go to any of them. */
export async function lookAtHosts(site: Site): Promise<Situation> {
  const situation = await look(site, { machines: true });
  const { design, observed } = situation;
  const [hosts, bridges] = await Promise.all([
    withVersions(site.client, observed.hosts),
    withBridges(site.client, observed, largestMtu(design)),
  ]);
  return { ...situation, observed: { ...observed, hosts, bridges } };
}

export async function planHostDrain(site: Site, request: HostDrainRequest): Promise<HostPlan> {
  const situation = await lookAtHosts(site);
  const { design, observed } = situation;
  const { host, forSeconds, accept } = request;
  const decided = decideDrain(design, observed, request);
  const drain = decided.decisions;
  const begun = nodesDrainedFrom(design, observed, host);
  // A node that an interrupted run has stopped may be what closes a gate or uses up a budget: each step waits for both itself.
  const resumed = begun.length > 0;
  const left = begun.filter((node) => !drain.some((one) => one.node === node.name));
  const targets = new Map([
    ...drain.flatMap(({ node, to }) => (to === undefined ? [] : [[node, to] as const])),
    // A drain that was cut off: what has arrived is started there.
    ...left.flatMap((node) => {
      const there = visibleVm(observed, (node.dataVm ?? node.talosVm).vmid)?.host;
      return there === undefined ? [] : [[node.name, there] as const];
    }),
  ]);
  const votes = await attempt(() => site.client.clusterVotes());
  const pods = await podsOf(site, situation, drain, accept);
  const found = {
    problems: [
      ...drainProblems(design, observed, request, drain, accept, votes.known ? votes.value : undefined),
      ...decided.problems,
      ...(await pendingChanges(site, situation, host)),
      ...(resumed ? [] : drainHealthProblems(design, observed, drain, site.config.policy)),
      ...(resumed ? [] : await closedGates(site)),
      ...pods.problems.filter(({ code }) => !resumed || code !== 'pod-budget'),
    ],
    notes: [...othersOnHost(design, observed, host), ...pods.notes],
  };
  const only = [...drain.map(({ node }) => node), ...left.map(({ name }) => name)];
  return {
    ...(await planPlaced(
      site,
      situation,
      { targets, why: `${host} is drained` },
      {
        only,
        drain: {
          host,
          forSeconds,
          targets,
          stays: new Set(drain.filter(({ way }) => way === 'stay').map(({ node }) => node)),
        },
        found,
      },
    )),
    drain,
  };
}

export async function planHostReturn(site: Site, { host }: HostReturnRequest): Promise<HostPlan> {
  const situation = await lookAtHosts(site);
  const { design, observed } = situation;
  const nodes = nodesDrainedFrom(design, observed, host);
  const targets = new Map(nodes.map(({ name }) => [name, host]));
  const stuck = nodes.flatMap((node) => haStateProblems(node, observed, ['error']));
  const found = { problems: [...returnProblems(observed, host, nodes), ...stuck], notes: [] };
  return planPlaced(
    site,
    situation,
    { targets, why: `${host} is back from maintenance` },
    { only: [...targets.keys()], hostReturn: host, found },
  );
}

/** All or nothing. */
export async function planPlaced(
  site: Site,
  situation: Situation,
  /** Where nodes go, and why. */
  { targets, why }: { readonly targets: ReadonlyMap<string, string>; readonly why: string },
  options: Pick<PlanOptions, 'only' | 'drain' | 'hostReturn' | 'lostHost' | 'fresh'> & {
    readonly found: { readonly problems: readonly Problem[]; readonly notes: readonly Note[] };
  },
): Promise<HostPlan> {
  const { design, observed, kubernetes } = situation;
  const hosts = new Map(resolveHosts(design, observed));
  for (const node of design.nodes) {
    const stands = visibleVm(observed, node.talosVm.vmid)?.host;
    const to = targets.get(node.name) ?? (options.only?.includes(node.name) ? stands : undefined);
    if (to !== undefined) hosts.set(node.name, requestedPlace(node, observed, to, why));
  }
  const placed = withHosts(design, hosts);
  const plan = planCluster(design, observed, {
    hosts,
    machines: await site.machines.desired(placed),
    kubernetes,
    policy: site.config.policy,
    ...options,
  });
  const problems = plan.problems.map((problem): Problem => ({ ...problem, scope: 'plan' }));
  return {
    ...situation,
    design: placed,
    plan: { ...plan, problems, steps: problems.length > 0 ? [] : plan.steps },
  };
}

/** A node that moves is not changed on the way: what oxherd.yaml asks for is applied before. */
async function pendingChanges(site: Site, situation: Situation, host: string): Promise<Problem[]> {
  const { design, observed } = situation;
  const nodes = nodesOnHost(design, observed, host).filter((node) => drainOf(node, observed) === undefined);
  if (nodes.length === 0) return [];
  const { options } = await planOptionsFor(site, situation);
  const { steps } = planCluster(design, observed, { ...options, only: nodes.map(({ name }) => name) });
  const names = [...new Set(steps.flatMap(({ node }) => node ?? []))];
  if (names.length === 0) return [];
  const off = nodes
    .filter(
      ({ name, talosVm }) => names.includes(name) && visibleVm(observed, talosVm.vmid)?.status === 'stopped',
    )
    .map(({ name }) => name);
  const isAre = off.length === 1 ? 'is' : 'are';
  return [
    {
      code: 'pending-changes',
      scope: 'plan',
      message: `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} changes that are not applied yet${off.length === 0 ? '' : ` (${off.join(', ')} ${isAre} off)`}`,
      advice:
        off.length === 0
          ? 'apply them first: oxherd apply'
          : `if ${host} has just booted, wait until Proxmox has started its VMs; else apply them first: oxherd apply`,
    },
  ];
}

async function closedGates({ config, machines: { cluster } }: Site): Promise<Problem[]> {
  const { gates } = config.policy;
  if (gates.length === 0 || !cluster.client) return [];
  const conditions = gateConditions(gates, { gates: await observeGates(cluster.client, gates) });
  return conditions
    .filter(({ state }) => state !== 'ok' && state !== 'skipped')
    .map(({ subject, message }) => ({
      code: 'gate',
      scope: 'plan',
      message: `gate ${subject} is closed: ${message}`,
      advice: 'solve that first; see `oxherd status`',
    }));
}

async function podsOf(
  { machines: { cluster } }: Site,
  { observed }: Situation,
  decisions: readonly DrainDecision[],
  accept: DrainAcceptance,
): Promise<{ readonly problems: readonly Problem[]; readonly notes: readonly Note[] }> {
  if (!cluster.client || !observed.kubernetes) return { problems: [], notes: [] };
  return podProblems(await observeEvictions(cluster.client), observed, decisions, accept);
}
