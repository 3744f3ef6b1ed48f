/** The tasks that switch VMs on and off (recording power). */
import { type Pve, PveError, type TaskAgain, type TaskContext } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { callerWithId } from '../../http/request.js';
import { applyPending } from '../config/apply-pending.js';
import { dropState, type Suspension, suspendToDisk } from '../snapshots/vm-state.js';
import { assertUnlocked, findVm, loadVm, requireOnNode, saveRunState } from '../vms.js';
import { guestStopped, missingZvol, powerOff, powerOn, unattachedNets } from './machine.js';

export interface PowerTarget {
  readonly host: string;
  readonly vmid: number;
  readonly skipLock?: boolean;
  /** When it was asked for. */
  readonly at?: number;
  /** The machine type of this run, whatever the config says. */
  readonly machine?: string;
}

export interface Shutdown extends PowerTarget {
  /** The run that shall end: a VM that was started again meanwhile is another one. */
  readonly since?: number;
  /** Seconds. */
  readonly timeout?: number;
  /** Pull the plug when the time is up. */
  readonly force: boolean;
  /** Pull it at once: the guest is paused and hears nothing. */
  readonly quit?: boolean;
}

const GUEST_OFF = 'pve/guest-off';
/** Guests without a machine room obey after this. */
const OBEYS_AFTER = 1_000;
/** Seconds that a start waits for the device of a ZFS volume. */
const ZVOL_WAIT = 300;
/** As Proxmox looks whether a guest is down. */
const LOOK_AGAIN: TaskAgain = { again: 1_000 };

export function startTask(pve: Pve, by: { user: string }, target: PowerTarget): string {
  return pve.tasks.start(by, {
    node: target.host,
    type: 'qmstart',
    id: String(target.vmid),
    args: { ...target, at: pve.core.clock.now() },
    duration: 1_500,
  });
}

export function definePowerTasks(pve: Pve): void {
  pve.core.timeline.on<{ vmid: number; since: number }>(GUEST_OFF, ({ vmid, since }) => {
    if (pve.db.vms.get(String(vmid))?.running?.since === since) guestStopped(pve, vmid);
  });
  pve.tasks.define<PowerTarget>('qmstart', (target, task) => start(pve, target, task));
  pve.tasks.define<PowerTarget>('qmstop', (target) => stop(pve, target));
  pve.tasks.define<Shutdown>('qmshutdown', (target, task) => shutdown(pve, target, task));
  pve.tasks.define<Shutdown>('qmreboot', (target, task) => reboot(pve, target, task));
  pve.tasks.define<PowerTarget>('qmreset', (target) => {
    if (!target.skipLock) assertUnlocked(loadVm(pve, target.host, target.vmid).config);
    pve.machines?.reset(target.vmid);
    return undefined;
  });
  pve.tasks.define<PowerTarget>('qmpause', (target) => pause(pve, target));
  pve.tasks.define<PowerTarget>('qmresume', (target, task) =>
    findVm(pve, target.host, target.vmid)?.config.lock === 'suspended'
      ? start(pve, target, task)
      : resume(pve, target, task),
  );
  pve.tasks.define<Suspension>('qmsuspend', (suspension, task) =>
    suspendToDisk(pve, suspension, (line) => task.log(line)),
  );
}

function start(pve: Pve, target: PowerTarget, task: TaskContext): TaskAgain | undefined {
  const { host, vmid, skipLock } = target;
  const vm = loadVm(pve, host, vmid);
  if (vm.template) throw new PveError(500, "you can't start a vm if it's a template");
  const suspended = vm.config.lock === 'suspended';
  if (!skipLock && !suspended) assertUnlocked(vm.config);
  if (vm.running) throw new PveError(500, `VM ${vmid} already running`);
  const missing = missingZvol(pve, vm);
  if (missing !== undefined) {
    if (pve.core.clock.now() - (target.at ?? 0) < ZVOL_WAIT * 1000) return { again: ZVOL_WAIT * 1000 };
    throw new PveError(500, `timeout: no zvol device link for '${missing}' found after ${ZVOL_WAIT} sec.`);
  }
  const resume = suspended || vm.config.vmstate !== undefined;
  if (resume) task.log('Resuming suspended VM');
  powerOn(callerWithId(pve, 'root@pam'), vmid, host, (line) => task.log(line), {
    resume,
    machine: target.machine,
  });
  for (const line of unattachedNets(loadVm(pve, host, vmid))) task.warn(line);
  if (resume) {
    task.log('Resumed VM, removing state');
    dropState(pve, host, vmid);
  }
  return undefined;
}

function stop(pve: Pve, { host, vmid, skipLock }: PowerTarget): undefined {
  const vm = requireOnNode(pve, host, vmid);
  if (!vm.running) return;
  if (!skipLock) assertUnlocked(vm.config);
  powerOff(pve, vmid);
  afterStop(pve, host, vmid);
}

/** What waited for the VM to stop applies now; a host that cannot write its config leaves it for the next start. */
function afterStop(pve: Pve, host: string, vmid: number): void {
  const vm = findVm(pve, host, vmid);
  if (!vm || vm.running) return;
  try {
    applyPending(callerWithId(pve, 'root@pam'), loadVm(pve, host, vmid));
  } catch (error) {
    if (!(error instanceof PveError)) throw error;
  }
}

/** Asks the guest, looks every second whether it is down, and gives up or kills it when the time is up. */
function shutdown(pve: Pve, target: Shutdown, task: TaskContext): TaskAgain | undefined {
  const { host, vmid } = target;
  const vm = requireOnNode(pve, host, vmid);
  if (!vm.running || vm.running.since !== target.since) {
    afterStop(pve, host, vmid);
    return undefined;
  }
  if (vm.running.shutdown?.upid !== task.upid && !target.quit) {
    if (!target.skipLock) assertUnlocked(vm.config);
    askToShutDown(pve, vm, task.upid);
  }
  const asked = pve.db.vms.get(String(vmid))?.running?.shutdown?.at ?? 0;
  const timeout = target.timeout ?? startupDown(vm.config.startup) ?? 60;
  if (!target.quit && pve.core.clock.now() - asked < timeout * 1000) return LOOK_AGAIN;
  if (!target.force) throw new PveError(500, 'VM quit/powerdown failed - got timeout');
  if (!target.quit) task.log('VM still running - terminating now with SIGTERM');
  powerOff(pve, vmid);
  afterStop(pve, host, vmid);
  return undefined;
}

function askToShutDown(pve: Pve, vm: VmRecord, upid: string): void {
  const { running, vmid } = vm;
  if (!running) return;
  saveRunState(pve, vmid, { running: { ...running, shutdown: { upid, at: pve.core.clock.now() } } });
  if (pve.machines) pve.machines.shutdown(vmid);
  else pve.core.timeline.after(OBEYS_AFTER, GUEST_OFF, { vmid, since: running.since });
}

/** The task ends when the guest is down; a task of root@pam starts it again (`guestStopped`). */
function reboot(pve: Pve, target: Shutdown, task: TaskContext): TaskAgain | undefined {
  const vm = requireOnNode(pve, target.host, target.vmid);
  if (vm.running && vm.running.since === target.since && !vm.rebootRequested) {
    saveRunState(pve, vm.vmid, { running: vm.running, rebootRequested: true });
  }
  try {
    return shutdown(pve, target, task);
  } catch (error) {
    // The next plain shutdown must not be taken for a reboot.
    const { running } = requireOnNode(pve, target.host, target.vmid);
    saveRunState(pve, target.vmid, { running, rebootRequested: false });
    throw error;
  }
}

function startupDown(startup: string | undefined): number | undefined {
  const down = /(?:^|,)down=(\d+)/.exec(startup ?? '')?.[1];
  return down === undefined ? undefined : Number(down);
}

function pause(pve: Pve, { host, vmid, skipLock }: PowerTarget): undefined {
  const vm = loadVm(pve, host, vmid);
  if (!skipLock) assertUnlocked(vm.config);
  if (!vm.running) throw new PveError(500, `VM ${vmid} not running`);
  saveRunState(pve, vmid, { running: { ...vm.running, paused: true } });
}

/** A VM that is not paused is left alone, whatever its lock; one that is backed up may be resumed. */
function resume(pve: Pve, { host, vmid, skipLock }: PowerTarget, task: TaskContext): undefined {
  const vm = loadVm(pve, host, vmid);
  if (!vm.running) throw new PveError(500, `VM ${vmid} not running`);
  const { paused, ...running } = vm.running;
  if (!paused) return;
  if (!skipLock && vm.config.lock !== 'backup') assertUnlocked(vm.config);
  for (const line of unattachedNets(vm)) task.warn(line);
  saveRunState(pve, vmid, { running });
}
