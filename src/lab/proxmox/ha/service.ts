/** The next thing to do with one resource (PVE/HA/Manager.pm `next_state_…`, PVE/HA/LRM.pm). */
import type { Pve } from '../api.js';
import type { VmRecord } from '../db.js';
import { startMigrationTask } from '../qemu/migration/migrate.js';
import { startTask } from '../qemu/power/power-tasks.js';
import { selectNode } from './affinity.js';
import { type HaResource, type HaService, type NodeState, requestedState } from './state.js';

interface Surroundings {
  readonly online: readonly string[];
  /** Of the host that the service is on. */
  readonly host: NodeState;
  /** It has been offline for so long that it is to be fenced. */
  readonly offline: boolean;
}

const ROOT = { user: 'root@pam' };

export function nextState(pve: Pve, service: HaService, around: Surroundings): void {
  const resource = pve.db.haResources.get(service.sid);
  const vm = pve.db.vms.get(service.sid.split(':')[1] ?? '');
  if (!resource || !vm) return;
  const next = decide(pve, service, resource, vm, around);
  if (next) pve.db.haServices.put(service.sid, next);
}

function decide(
  pve: Pve,
  service: HaService,
  resource: HaResource,
  vm: VmRecord,
  around: Surroundings,
): HaService | undefined {
  const wanted = requestedState(resource);
  if (wanted === 'ignored') return { ...service, state: 'ignored', running: false };
  if (service.state === 'recovery') return recover(pve, service, vm, wanted, around);
  if (service.state === 'fence') return undefined;
  if (around.host !== 'online' && around.host !== 'maintenance') {
    if (service.state === 'ignored' || !around.offline) return undefined;
    return { ...service, state: 'fence' };
  }
  if (isBusy(pve, service)) return undefined;
  const { task: _ended, ...idle } = service;
  switch (service.state) {
    case 'ignored':
      return { ...idle, state: wanted === 'started' ? 'request_start' : 'request_stop' };
    case 'migrate':
    case 'relocate':
      return moved(idle, vm, wanted);
    case 'error':
      return wanted === 'disabled' ? { ...idle, state: 'request_stop', restarts: 0, failed: [] } : undefined;
    default:
      return settle(pve, idle, resource, vm, wanted, around);
  }
}

function isBusy(pve: Pve, { task }: HaService): boolean {
  return task !== undefined && pve.db.tasks.get(task)?.exitstatus === undefined && pve.db.tasks.has(task);
}

/** After a move the service is where its VM is, whether it went or not. */
function moved(service: HaService, vm: VmRecord, wanted: string): HaService {
  const { target: _target, ...rest } = service;
  const state = wanted === 'started' ? 'started' : 'stopped';
  return { ...rest, node: vm.host, state, running: vm.running !== undefined };
}

function settle(
  pve: Pve,
  service: HaService,
  resource: HaResource,
  vm: VmRecord,
  wanted: string,
  around: Surroundings,
): HaService {
  const { command, ...rest } = service;
  if (command?.command === 'stop') {
    pve.db.haResources.put(service.sid, { ...resource, state: 'stopped' });
    return stop(pve, rest, vm);
  }
  if (command && command.node !== undefined && command.node !== vm.host) {
    return move(pve, rest, vm, command.node, command.command === 'relocate' ? 'relocate' : 'migrate');
  }
  if (wanted !== 'started') {
    if (vm.running) return stop(pve, rest, vm);
    return { ...rest, state: 'stopped', running: false, restarts: 0, failed: [] };
  }
  const place = placeFor(pve, rest, resource, vm, around);
  if (place !== undefined && place !== vm.host) {
    return move(pve, rest, vm, place, vm.running ? 'migrate' : 'relocate');
  }
  if (vm.running) return { ...rest, state: 'started', running: true, restarts: 0, failed: [] };
  return start(pve, rest, resource, vm, around);
}

/** In maintenance everything goes elsewhere; otherwise only where a rule ranks another host higher. */
function placeFor(
  pve: Pve,
  service: HaService,
  resource: HaResource,
  vm: VmRecord,
  { online, host }: Surroundings,
): string | undefined {
  const mayReturn = resource.failback !== 0;
  const staying = host === 'maintenance' ? {} : { current: vm.host };
  return selectNode(pve, service.sid, { online, ...staying, avoid: service.failed, mayReturn });
}

function start(
  pve: Pve,
  service: HaService,
  resource: HaResource,
  vm: VmRecord,
  { online }: Surroundings,
): HaService {
  const tried = service.state === 'started';
  const restarts = tried ? service.restarts + 1 : 0;
  if (restarts <= (resource.max_restart ?? 1)) {
    const task = startTask(pve, ROOT, { host: vm.host, vmid: vm.vmid });
    return { ...service, state: 'started', running: false, restarts, task };
  }
  const failed = [...service.failed, vm.host];
  const target = selectNode(pve, service.sid, { online, avoid: failed, mayReturn: true });
  if (failed.length <= (resource.max_relocate ?? 1) && target !== undefined) {
    return move(pve, { ...service, failed, restarts: 0 }, vm, target, 'relocate');
  }
  return { ...service, state: 'error', running: false, failed };
}

function stop(pve: Pve, service: HaService, vm: VmRecord): HaService {
  const { running, vmid, host } = vm;
  if (!running) return { ...service, state: 'stopped', running: false };
  const args = { host, vmid, since: running.since, timeout: 60, force: true };
  const task = pve.tasks.start(ROOT, {
    node: host,
    type: 'qmshutdown',
    id: String(vmid),
    args,
    duration: 300,
  });
  return { ...service, state: 'request_stop', task };
}

/** A running VM is migrated live, or shut down first to be relocated. */
function move(
  pve: Pve,
  service: HaService,
  vm: VmRecord,
  target: string,
  how: 'migrate' | 'relocate',
): HaService {
  if (how === 'relocate' && vm.running) {
    return { ...stop(pve, service, vm), command: { command: 'relocate', sid: service.sid, node: target } };
  }
  if (vm.config.lock) return service;
  const migration = { host: vm.host, vmid: vm.vmid, target, withLocalDisks: true, force: true };
  return { ...service, state: how, target, task: startMigrationTask(pve, ROOT, migration) };
}

/** The config is taken over from the dead host; disks that were only there are not. */
function recover(
  pve: Pve,
  service: HaService,
  vm: VmRecord,
  wanted: string,
  { online }: Surroundings,
): HaService {
  const target = selectNode(pve, service.sid, { online, avoid: [vm.host], mayReturn: true });
  if (target === undefined) return { ...service, state: 'recovery' };
  const { lockHolder: _holder, running: _running, ...rest } = vm;
  const { lock: _lock, ...config } = vm.config;
  pve.db.vms.put(String(vm.vmid), { ...rest, host: target, config });
  const { task: _task, target: _old, ...kept } = service;
  const state = wanted === 'started' ? 'request_start' : 'request_stop';
  return { ...kept, node: target, state, running: false, restarts: 0, failed: [] };
}
