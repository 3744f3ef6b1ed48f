/**
 * The HA manager: every ten seconds of lab time it looks at hosts and resources and does the next thing
 * (pve-ha-manager, PVE/HA/Manager.pm). What it starts are tasks of root@pam on the hosts.
 */
import type { Pve } from '../api.js';
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

/** A host that is not heard of fences itself in this time … */
const FENCE_AFTER = 60_000;
/** … and after this its lock is gone, so that others may take over. */
const RECOVER_AFTER = 120_000;

export function defineHaManager(pve: Pve): void {
  pve.core.timeline.on<Record<string, never>>(HA_EVENT, () => cycle(pve));
}

function cycle(pve: Pve): void {
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
  writeManager(pve, {
    master: masterOf(manager, nodes),
    timestamp: Math.floor(now / 1000),
    nodes,
    commands: [],
  });
  if (manager.disarmed !== undefined) return;
  takeIn(pve);
  takeCommands(pve, manager, nodes);
  const online = Object.keys(nodes).filter((node) => nodes[node]?.state === 'online');
  for (const sid of [...pve.db.haServices.entries()].map(([key]) => key)) {
    const service = pve.db.haServices.get(sid);
    const host = service && nodes[service.node];
    if (!service) continue;
    const fenced = host !== undefined && host.state === 'fence' && now - host.since >= RECOVER_AFTER;
    nextState(pve, service, { online, host: host?.state ?? 'gone', fenced });
  }
}

function masterOf({ master }: HaManager, nodes: HaManager['nodes']): string {
  const isOnline = (node: string) => nodes[node]?.state === 'online' || nodes[node]?.state === 'maintenance';
  if (master !== undefined && isOnline(master)) return master;
  return Object.keys(nodes).find(isOnline) ?? master ?? '';
}

function nodeStates(pve: Pve, before: HaManager['nodes'], now: number): HaManager['nodes'] {
  const states: Record<string, { state: NodeState; since: number }> = {};
  for (const { name } of pve.db.hosts.values()) {
    const was = before[name];
    states[name] = nodeState(pve, name, was ?? { state: 'online', since: now }, now);
  }
  return states;
}

/** The time of a host that is down counts from when it was last heard of. */
function nodeState(
  pve: Pve,
  name: string,
  was: HaManager['nodes'][string],
  now: number,
): { state: NodeState; since: number } {
  if (hostIsUp(pve, name)) {
    const state = pve.core.faults.holds('ha-maintenance', name) ? 'maintenance' : 'online';
    return { state, since: was.state === state ? was.since : now };
  }
  const since = was.state === 'unknown' || was.state === 'fence' ? was.since : now;
  return { state: now - since >= FENCE_AFTER ? 'fence' : 'unknown', since };
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
