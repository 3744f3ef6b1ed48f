/**
 * The HA manager: every ten seconds of lab time it looks at hosts and resources and does the next thing
 * (pve-ha-manager, PVE/HA/Manager.pm). What it starts are tasks of root@pam on the hosts.
 */
import type { Pve } from '../api.js';
import { killVms } from '../host-power.js';
import { hasQuorum, hostIsUp } from '../quorum.js';
import { HA_EVENT, nextCycle } from './commands.js';
import { nextState } from './service.js';
import {
  type HaManager,
  type NodeState,
  readManager,
  requestedState,
  resetManager,
  writeManager,
} from './state.js';

/** A host that is not heard of is to be fenced after this time (NodeStatus.pm `node_is_offline_delayed`) … */
const FENCE_AFTER = 60_000;
/** … and after this its agent lock has run out: its watchdog has reset it, and others may take over. */
const LOCK_ENDS_AFTER = 120_000;

export function defineHaManager(pve: Pve): void {
  pve.core.timeline.on<Record<string, never>>(HA_EVENT, () => cycle(pve));
}

function cycle(asked: Pve): void {
  const pve = seenByMajority(asked);
  const { wake: _done, ...manager } = readManager(pve);
  pve.db.haManager.put('manager', manager);
  if (pve.db.haResources.size === 0 && pve.db.haServices.size === 0) {
    resetManager(pve);
    return;
  }
  nextCycle(pve);
  if (!hasQuorum(pve) || pve.core.faults.holds('ha-manager-down')) return;
  const now = pve.core.clock.now();
  const nodes = nodeStates(pve, manager.nodes, now);
  const write = (states: HaManager['nodes']) =>
    writeManager(pve, {
      master: masterOf(manager, states),
      timestamp: Math.floor(now / 1000),
      nodes: states,
      commands: [],
    });
  write(nodes);
  if (manager.disarmed !== undefined) return;
  takeIn(pve);
  takeCommands(pve, manager, nodes);
  const online = Object.keys(nodes).filter((node) => nodes[node]?.state === 'online');
  for (const service of [...pve.db.haServices.values()]) {
    const { state, since } = nodes[service.node] ?? { state: 'gone', since: 0 };
    const offline = state !== 'online' && state !== 'maintenance' && now - since >= FENCE_AFTER;
    nextState(pve, service, { online, host: state, offline });
  }
  const fenced = fenceHosts(pve, nodes, now);
  write(fenced);
  for (const service of [...pve.db.haServices.values()]) {
    const host = fenced[service.node]?.state ?? 'gone';
    if (service.state === 'recovery') nextState(pve, service, { online, host, offline: true });
  }
}

/** The manager works on a host of the quorate part: one that is cut off is silent to it, although its VMs run. */
function seenByMajority(pve: Pve): Pve {
  const at = [...pve.db.hosts.values()].find(({ name }) => !pve.core.faults.holds('partition', name))?.name;
  return at === undefined ? pve : { ...pve, at };
}

/**
 * Manager.pm, NodeStatus.pm `fence_node`: `fence` says that a host needs to be fenced. Once its agent lock is had, its
 * watchdog has reset it: it is `unknown`, as it was before, and its services are in `recovery`.
 */
function fenceHosts(pve: Pve, nodes: HaManager['nodes'], now: number): HaManager['nodes'] {
  const states = { ...nodes };
  for (const service of [...pve.db.haServices.values()]) {
    if (service.state !== 'fence') continue;
    const { since } = nodes[service.node] ?? { since: 0 };
    const isFenced = now - since >= LOCK_ENDS_AFTER;
    states[service.node] = { state: isFenced ? 'unknown' : 'fence', since };
    if (isFenced && !hostIsUp(pve, service.node)) killVms(pve, service.node);
    if (isFenced) pve.db.haServices.put(service.sid, { ...service, state: 'recovery' });
  }
  return states;
}

function masterOf({ master }: HaManager, nodes: HaManager['nodes']): string {
  const isOnline = (node: string) => nodes[node]?.state === 'online' || nodes[node]?.state === 'maintenance';
  if (master !== undefined && isOnline(master)) return master;
  return Object.keys(nodes).find(isOnline) ?? master ?? '';
}

function nodeStates(pve: Pve, before: HaManager['nodes'], now: number): HaManager['nodes'] {
  const states: Record<string, { state: NodeState; since: number }> = {};
  for (const [name, was] of Object.entries(before)) {
    if (!pve.db.hosts.has(name))
      states[name] = { state: was.state === 'fence' ? 'fence' : 'gone', since: was.since };
  }
  for (const { name } of pve.db.hosts.values()) {
    const was = before[name];
    states[name] = nodeState(pve, name, was ?? { state: 'online', since: now }, now);
  }
  return states;
}

/** `since` of a host that is down: when it was last heard of. One in `fence` stays so until it is fenced, up or not. */
function nodeState(
  pve: Pve,
  name: string,
  was: HaManager['nodes'][string],
  now: number,
): { state: NodeState; since: number } {
  if (was.state === 'fence') return was;
  if (hostIsUp(pve, name)) {
    const state = pve.core.faults.holds('ha-maintenance', name) ? 'maintenance' : 'online';
    return { state, since: was.state === state ? was.since : now };
  }
  return { state: 'unknown', since: was.state === 'unknown' || was.state === 'gone' ? was.since : now };
}

/** New resources become services where their VM is; what is no longer a resource is let alone. */
function takeIn(pve: Pve): void {
  const { db } = pve;
  for (const resource of db.haResources.values()) {
    const vm = db.vms.get(resource.sid.split(':')[1] ?? '');
    const known = db.haServices.get(resource.sid);
    if (!vm) continue;
    if (known) {
      const moving = known.state === 'migrate' || known.state === 'relocate' || known.state === 'recovery';
      if (known.node !== vm.host && !moving) db.haServices.put(resource.sid, { ...known, node: vm.host });
      continue;
    }
    const wanted = requestedState(resource);
    const state = wanted === 'ignored' ? 'ignored' : wanted === 'started' ? 'request_start' : 'request_stop';
    db.haServices.put(resource.sid, { sid: resource.sid, state, node: vm.host, restarts: 0, failed: [] });
  }
  for (const sid of [...db.haServices.entries()].map(([key]) => key)) {
    if (!db.haResources.has(sid)) db.haServices.delete(sid);
  }
}

/** In the order in which they came; a later one takes the place of an earlier one. */
function takeCommands(pve: Pve, { commands }: HaManager, nodes: HaManager['nodes']): void {
  for (const command of commands) {
    const service = pve.db.haServices.get(command.sid);
    if (!service || service.state === 'ignored') continue;
    if (command.command !== 'stop') {
      if (nodes[command.node ?? '']?.state !== 'online' || command.node === service.node) continue;
    }
    pve.db.haServices.put(command.sid, { ...service, command });
  }
}
