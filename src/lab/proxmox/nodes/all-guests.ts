/** All VMs of a host started, shut down or suspended by one request (pve-manager, PVE/API2/Nodes.pm). */
import { denied } from '../access/denied.js';
import { type Call, type Handlers, type Pve, PveError, type TaskAgain, type TaskContext } from '../api.js';
import type { VmRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { startTask } from '../qemu/power/power-tasks.js';
import { stateStorage } from '../qemu/snapshots/vm-state.js';
import { splitList } from '../validation/formats.js';

type Order = 'startall' | 'stopall' | 'suspendall';

interface Bulk {
  readonly order: Order;
  readonly host: string;
  readonly user: string;
  /** Those that were named; absent: all. */
  readonly vms?: readonly number[];
  /** Also those that do not start with their host. */
  readonly force: boolean;
  readonly timeout: number;
  /** The tasks that it started. */
  readonly children?: readonly string[];
}

export const allGuestHandlers: Handlers = {
  'POST /nodes/{node}/startall': (call) => begin(call, 'startall', ['VM.PowerMgmt']),
  'POST /nodes/{node}/stopall': (call) => begin(call, 'stopall', ['VM.PowerMgmt']),
  'POST /nodes/{node}/suspendall': (call) => begin(call, 'suspendall', ['VM.PowerMgmt', 'VM.Config.Disk']),
};

export function defineBulkTasks(pve: Pve): void {
  for (const order of ['startall', 'stopall', 'suspendall']) {
    pve.tasks.define<Bulk>(order, (bulk, task) => carryOut(pve, bulk, task));
  }
}

function begin(call: Call, order: Order, privileges: readonly string[]): string {
  const given = call.text('vms');
  const vms = given === undefined ? undefined : splitList(given).map(Number);
  if (!call.allows('/', [...privileges])) {
    if (!vms?.length) throw denied(`/, ${privileges.join(' && ')}`);
    for (const vmid of vms) call.require(`/vms/${vmid}`, ['VM.PowerMgmt']);
  }
  const args: Bulk = {
    order,
    host: nodeOf(call),
    user: call.who.id,
    ...(vms ? { vms } : {}),
    force: order === 'startall' ? call.flag('force') : call.number('force-stop') !== 0,
    timeout: call.number('timeout') ?? 180,
  };
  return call.pve.tasks.start(call, { node: args.host, type: order, id: '', args, duration: 300 });
}

/** Its tasks are started at once; it ends with the last of them, whatever they came to. */
function carryOut(pve: Pve, bulk: Bulk, task: TaskContext): TaskAgain | undefined {
  const children = bulk.children ?? selected(pve, bulk).flatMap((vm) => child(pve, bulk, vm, task) ?? []);
  const running = children.some((upid) => pve.db.tasks.get(upid)?.exitstatus === undefined);
  return running ? { again: 1_000, args: { ...bulk, children } } : undefined;
}

/** Resources of HA are left to their manager, unless they are named. */
function selected(pve: Pve, { order, host, vms, force }: Bulk): VmRecord[] {
  const ordered = [...pve.db.vms.values()].sort((a, b) => a.vmid - b.vmid);
  return (order === 'startall' ? ordered : ordered.reverse()).filter(
    ({ vmid, config, template, ...vm }) =>
      vm.host === host &&
      !template &&
      (vms === undefined ? !pve.db.haResources.has(`vm:${vmid}`) : vms.includes(vmid)) &&
      (order !== 'startall' || force || config.onboot === '1'),
  );
}

function child(pve: Pve, bulk: Bulk, vm: VmRecord, task: TaskContext): string | undefined {
  const { host, user } = bulk;
  const { vmid, config } = vm;
  if (bulk.order === 'startall') {
    if (vm.running) return undefined;
    task.log(`Starting VM ${vmid}`);
    return startTask(pve, { user }, { host, vmid });
  }
  if (!vm.running) {
    if (bulk.order === 'suspendall') task.log(`VM ${vmid} not running, skipping suspension`);
    return undefined;
  }
  const { since } = vm.running;
  if (bulk.order === 'suspendall') {
    task.log(`Suspending VM ${vmid}`);
    const args = { host, vmid, storage: stateStorage(pve, config) };
    return pve.tasks.start(
      { user },
      { node: host, type: 'qmsuspend', id: String(vmid), args, duration: 2_000 },
    );
  }
  const down = /(?:^|,)down=(\d+)/.exec(config.startup ?? '')?.[1];
  const timeout = Number(down ?? bulk.timeout);
  task.log(`Stopping VM ${vmid} (timeout = ${timeout} seconds)`);
  const args = { host, vmid, since, timeout, force: bulk.force, ...(vm.running.paused && { quit: true }) };
  return pve.tasks.start({ user }, { node: host, type: 'qmshutdown', id: String(vmid), args, duration: 100 });
}

export const wakeHandlers: Handlers = {
  'POST /nodes/{node}/wakeonlan': (call) => {
    const node = nodeOf(call);
    if (node === 'localhost' || node === call.host) {
      throw new PveError(500, `'${node}' is local node, cannot wake my self!`);
    }
    if (!call.pve.db.hosts.has(node)) throw new PveError(500, `no such cluster node '${node}'`);
    throw new PveError(500, `No wake on LAN MAC address defined for '${node}'!`);
  },
};
