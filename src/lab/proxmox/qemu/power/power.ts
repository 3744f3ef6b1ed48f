/** `/nodes/{node}/qemu/{vmid}/status/…`: what is refused at once, and what only as a task. */
import { type Call, type Handlers, type Pve, PveError } from '../../api.js';
import { queueCommand } from '../../ha/commands.js';
import { isManaged, requestState } from '../../ha/resources.js';
import { nodeOf, rootOnly, vmidOf } from '../../http/request.js';
import { requireQuorum } from '../../quorum.js';
import { numbered } from '../config/config-keys.js';
import { requireOnVm } from '../config/permissions.js';
import { type Suspension, stateStorage } from '../snapshots/vm-state.js';
import { findVm, requireOnNode, requireRunning } from '../vms.js';
import { type PowerTarget, type Shutdown, startTask } from './power-tasks.js';

export const powerHandlers: Handlers = {
  'POST /nodes/{node}/qemu/{vmid}/status/start': (call) => {
    rootOnly(call, 'stateuri', 'skiplock', 'migratedfrom', 'migration_type', 'migration_network');
    rootOnly(call, 'targetstorage', 'force-cpu', 'with-conntrack-state', 'nets-host-mtu');
    requireQuorum(call.pve);
    if (isHighlyAvailable(call)) return haTask(call, 'hastart');
    const machine = call.text('machine');
    return startTask(call.pve, { user: call.who.id }, { ...targetOf(call), ...(machine ? { machine } : {}) });
  },
  'POST /nodes/{node}/qemu/{vmid}/status/stop': (call) => {
    rootOnly(call, 'skiplock', 'keepActive', 'migratedfrom');
    if (isHighlyAvailable(call)) return haTask(call, 'hastop');
    return powerTask(call, 'qmstop', targetOf(call), 500);
  },
  'POST /nodes/{node}/qemu/{vmid}/status/shutdown': (call) => {
    rootOnly(call, 'skiplock', 'keepActive');
    const paused = findVm(call.pve, nodeOf(call), vmidOf(call))?.running?.paused;
    if (paused && !call.flag('forceStop')) throw new PveError(500, 'VM is paused - cannot shutdown');
    if (isHighlyAvailable(call)) return haTask(call, 'hastop');
    // A paused guest hears nothing: it is stopped instead.
    if (paused) return shutdownTask(call, 'qmshutdown', { ...shutdownOf(call, true), quit: true });
    return shutdownTask(call, 'qmshutdown', shutdownOf(call, call.flag('forceStop')));
  },
  'POST /nodes/{node}/qemu/{vmid}/status/reboot': (call) => {
    const vm = requireOnNode(call.pve, nodeOf(call), vmidOf(call));
    if (vm.running?.paused) throw new PveError(500, 'VM is paused - cannot shutdown');
    requireRunning(call.pve, nodeOf(call), vmidOf(call));
    return shutdownTask(call, 'qmreboot', shutdownOf(call, false));
  },
  'POST /nodes/{node}/qemu/{vmid}/status/reset': (call) => onRunning(call, 'qmreset'),
  'POST /nodes/{node}/qemu/{vmid}/status/suspend': (call) => {
    return call.flag('todisk') ? suspend(call) : onRunning(call, 'qmpause');
  },
  'POST /nodes/{node}/qemu/{vmid}/status/resume': (call) => {
    rootOnly(call, 'skiplock', 'nocheck');
    const suspended = findVm(call.pve, nodeOf(call), vmidOf(call))?.config.lock === 'suspended';
    if (suspended)
      return powerTask(call, 'qmresume', { ...targetOf(call), at: call.pve.core.clock.now() }, 1_500);
    return onRunning(call, 'qmresume');
  },
};

function targetOf(call: Call): PowerTarget {
  return { host: nodeOf(call), vmid: vmidOf(call), ...(call.flag('skiplock') ? { skipLock: true } : {}) };
}

function shutdownOf(call: Call, force: boolean): Shutdown {
  const timeout = call.number('timeout');
  const since = findVm(call.pve, nodeOf(call), vmidOf(call))?.running?.since;
  return {
    ...targetOf(call),
    ...(since === undefined ? {} : { since }),
    ...(timeout === undefined ? {} : { timeout }),
    force,
  };
}

function shutdownTask(call: Call, type: 'qmshutdown' | 'qmreboot', args: Shutdown): string {
  return powerTask(call, type, args, 100);
}

function powerTask(call: Call, type: string, args: PowerTarget, duration: number): string {
  return call.pve.tasks.start(call, { node: args.host, type, id: String(args.vmid), args, duration });
}

function onRunning(call: Call, type: string): string {
  rootOnly(call, 'skiplock');
  requireRunning(call.pve, nodeOf(call), vmidOf(call));
  return powerTask(call, type, targetOf(call), 200);
}

/** To disk: what only the host's memory knows of a passed-through device cannot be saved. */
function suspend(call: Call): string {
  rootOnly(call, 'skiplock');
  const vm = requireRunning(call.pve, nodeOf(call), vmidOf(call));
  if (isHighlyAvailable(call)) throw new PveError(500, 'Cannot suspend HA managed VM to disk');
  requireOnVm(call, vm, ['VM.Config.Disk']);
  if (Object.keys(vm.config).some((key) => numbered(key)?.name === 'hostpci')) {
    throw new PveError(
      500,
      'cannot suspend VM to disk due to passed-through PCI device(s), which lack the possibility to save/restore their internal state',
    );
  }
  const storage = call.text('statestorage') ?? stateStorage(call.pve, vm.config);
  call.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
  const args: Suspension = { ...targetOf(call), storage };
  return powerTask(call, 'qmsuspend', args, 2_000);
}

function isHighlyAvailable(call: Call): boolean {
  return isManaged(call.pve, `vm:${vmidOf(call)}`);
}

/** The request ends when the HA manager knows; what it does then are tasks of root@pam. */
function haTask(call: Call, type: 'hastart' | 'hastop'): string {
  return powerTask(call, type, targetOf(call), 300);
}

export function defineHaTasks(pve: Pve): void {
  pve.tasks.define<PowerTarget>('hastart', ({ vmid }, task) => {
    task.log(`Requesting HA start for VM ${vmid}`);
    requestState(pve, `vm:${vmid}`, 'started');
    return undefined;
  });
  // The wish to be stopped is the manager's to write down.
  pve.tasks.define<PowerTarget>('hastop', ({ vmid }, task) => {
    task.log(`Requesting HA stop for VM ${vmid}`);
    queueCommand(pve, { command: 'stop', sid: `vm:${vmid}` });
    return undefined;
  });
}
