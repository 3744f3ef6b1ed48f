/** What forbids that a host is drained, all of it before anything happens. */

import type { Design, NodeDesign } from '../../design/design.js';
import { spareOf } from '../../model/quorum.js';
import type { EvictionFacts } from '../../observe/evictions/observed-evictions.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { drainedHosts, nodesOnHost, staysOff } from '../facts/drained-nodes.js';
import { haStateOf } from '../ha/ha-states.js';
import type { Note, Problem } from '../plan.js';
import type { DrainDecision, DrainRequest } from './decide-drain.js';
import { podObstacles } from './pod-obstacles.js';

export interface DrainAcceptance {
  /** Pods that no other node takes are down until the host returns. */
  readonly podsDown: boolean;
  /** Proxmox may lose its quorum meanwhile. */
  readonly noQuorum: boolean;
}

/** As corosync counts. */
interface ClusterVotes {
  readonly hosts: Readonly<Record<string, number>>;
  /** 0: there is none, or it is not connected. */
  readonly qdevice: number;
}

export function drainProblems(
  design: Design,
  observed: Observed,
  { host }: DrainRequest,
  decisions: readonly DrainDecision[],
  accepted: DrainAcceptance,
  counted?: ClusterVotes,
): Problem[] {
  const there = observed.hosts[host];
  if (!there) {
    const names = Object.keys(observed.hosts).sort().join(', ');
    return [problem('unknown-host', `Proxmox has no host ${host}`, `hosts are: ${names}`)];
  }
  if (!there.online) {
    const advice = 'wait until it is back, then drain it';
    return [problem('host-down', `${host} is down: nothing can be moved from it`, advice)];
  }
  return [
    ...votes(observed, host, accepted, counted),
    ...others(design, observed, host),
    ...members(design, observed, decisions),
    ...stuckInHa(nodesOnHost(design, observed, host), observed, decisions),
  ];
}

/** What HA looks after is moved and stopped by HA alone. */
function stuckInHa(
  nodes: readonly NodeDesign[],
  observed: Observed,
  decisions: readonly DrainDecision[],
): Problem[] {
  return nodes
    .filter(({ name, talosVm }) => {
      const stays = decisions.some(({ node, way }) => node === name && way === 'stay');
      return !stays || visibleVm(observed, talosVm.vmid)?.status === 'running';
    })
    .flatMap((node) => haStateProblems(node, observed, ['error', 'fence', 'recovery']));
}

/** In states of HA in which it does nothing with a VM. */
export function haStateProblems(
  { name, talosVm, dataVm }: NodeDesign,
  observed: Observed,
  states: readonly string[],
): Problem[] {
  return [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]
    .flatMap((vmid) => haStateOf(observed, vmid) ?? [])
    .filter(({ state }) => states.includes(state))
    .map(({ message, advice }) => ({ ...problem('ha-state', message, advice), node: name }));
}

/** As corosync counts; where that cannot be read every host has one vote, and a QDevice none. */
function votes(
  { hosts, quorate }: Observed,
  host: string,
  { noQuorum }: DrainAcceptance,
  counted: ClusterVotes | undefined,
): Problem[] {
  const all = Object.values(hosts);
  if (all.length < 2 || noQuorum) return [];
  if (!quorate.known)
    return [
      problem(
        'proxmox-quorum',
        `whether the Proxmox cluster has its quorum is not known: ${quorate.why}`,
        'see `pvecm status`; to drain it nevertheless: --accept-no-quorum',
      ),
    ];
  if (!quorate.value)
    return [problem('proxmox-quorum', 'the Proxmox cluster has no quorum', 'see `pvecm status`')];
  const of = (name: string) => counted?.hosts[name] ?? 1;
  const device = counted?.qdevice ?? 0;
  const total = all.reduce((sum, { name }) => sum + of(name), device);
  const up = all
    .filter(({ name, online }) => online && name !== host)
    .reduce((sum, { name }) => sum + of(name), device);
  if (up > total / 2) return [];
  return [
    problem(
      'proxmox-quorum',
      `without ${host} ${up} of ${total} votes are left: the Proxmox cluster would lose its quorum, and no VM could be started or changed`,
      counted
        ? 'bring the others up first, or add a QDevice: pvecm qdevice setup <address>'
        : 'bring the others up first; with a QDevice that gives the missing vote: --accept-no-quorum',
    ),
  ];
}

function others(design: Design, observed: Observed, host: string): Problem[] {
  const away = [...drainedHosts(design, observed)].filter((name) => name !== host);
  if (away.length === 0) return [];
  return [
    problem(
      'another-host',
      `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} drained already`,
      `bring the nodes back first: oxherd host return ${away[0]}`,
    ),
  ];
}

/** etcd keeps its majority while nodes stay off, and while one more is stopped for its move. */
function members(design: Design, observed: Observed, decisions: readonly DrainDecision[]): Problem[] {
  const planes = design.nodes.filter(({ role }) => role === 'controlplane');
  const off = decisions.filter(({ role, way }) => role === 'controlplane' && way === 'stay');
  const moved = decisions.some(({ role, way }) => role === 'controlplane' && way === 'move');
  const away = planes.filter(
    (node) => staysOff(node, observed) && !decisions.some((decision) => decision.node === node.name),
  );
  const most = off.length + away.length + (moved ? 1 : 0);
  const spare = spareOf(planes.length);
  if (most <= spare || planes.length < 3) return [];
  const names = [...off.map(({ node }) => node), ...away.map(({ name }) => name)].join(', ');
  return [
    problem(
      'etcd-quorum',
      `${most} of ${planes.length} control planes would be down at a time, and etcd can lose ${spare} (${names || 'one that moves'})`,
      'move control planes to other hosts first (`host:`), or on shared storage, so that they keep running',
    ),
  ];
}

/** Each pod by its name. */
export function podProblems(
  facts: EvictionFacts,
  observed: Observed,
  decisions: readonly DrainDecision[],
  { podsDown }: DrainAcceptance,
): { readonly problems: readonly Problem[]; readonly notes: readonly Note[] } {
  const known = observed.kubernetes?.nodes;
  const objectOf = (name: string) => (known?.known ? kubeNodeOf(name, known.value)?.name : undefined) ?? name;
  const names = (ways: readonly DrainDecision['way'][]) =>
    new Set(decisions.filter(({ way }) => ways.includes(way)).map(({ node }) => objectOf(node)));
  const found = podObstacles(facts, names(['stay']), names(['stay', 'move']));
  const down = found.filter(({ kind }) => kind === 'nowhere');
  return {
    problems: found
      .filter(({ kind }) => kind === 'budget' || !podsDown)
      .map(({ kind, pod, node, why }) =>
        kind === 'budget'
          ? problem(
              'pod-budget',
              `pod ${pod} on ${node} cannot be evicted: ${why}`,
              'give its workload more replicas, or wait until they are all ready; `kubectl get pdb -A` shows the budgets',
            )
          : problem(
              'pod-nowhere',
              `pod ${pod} on ${node} has nowhere to go: ${why}`,
              'to have such pods down until the host returns: --accept-down',
            ),
      ),
    notes: podsDown
      ? down.map(({ pod, node, why }) => ({
          code: 'outage',
          message: `pod ${pod} of ${node} is down until the host returns: ${why}`,
        }))
      : [],
  };
}

/** VMs and containers of others on the host: listed, never touched. */
export function othersOnHost(design: Design, observed: Observed, host: string): Note[] {
  const ours = new Set<number>(
    design.nodes.flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]),
  );
  const found = Object.values(observed.taken).filter(
    (vm) =>
      vm.host === host && !ours.has(vm.vmid) && !visibleVm(observed, vm.vmid) && vm.status === 'running',
  );
  if (found.length === 0) return [];
  const names = found.map(({ vmid, name }) => (name === '' ? `VM ${vmid}` : `${name} (${vmid})`)).join(', ');
  return [{ code: 'left-alone', message: `on ${host} run also, and are not touched: ${names}` }];
}

function problem(code: string, message: string, advice: string): Problem {
  return { code, scope: 'plan', message, advice };
}
