/** `/nodes/{node}/qemu/{vmid}/snapshot…` (recording snapshots): the endpoints. */
import { type Call, type Handlers, type Pve, PveError } from '../../api.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { shownSnapshot } from '../config/read.js';
import { digestOf } from '../config/vm-config.js';
import { startTask } from '../power/power-tasks.js';
import { assertUnlocked, loadVm, requireOnNode, saveVm, snapshotOf } from '../vms.js';
import { createSnapshot, deleteSnapshot, rollbackSnapshot, type SnapshotJob } from './snapshot-jobs.js';

const ONE = '/nodes/{node}/qemu/{vmid}/snapshot/{snapname}';

export const snapshotHandlers: Handlers = {
  'GET /nodes/{node}/qemu/{vmid}/snapshot': listSnapshots,
  'POST /nodes/{node}/qemu/{vmid}/snapshot': (call) => {
    const name = call.text('snapname') ?? '';
    if (name === 'current' || name.toLowerCase() === 'pending') {
      throw new PveError(500, `unable to use snapshot name '${name.toLowerCase()}' (reserved name)`);
    }
    loadVm(call.pve, nodeOf(call), vmidOf(call));
    const description = call.text('description');
    return snapshotTask(call, 'qmsnapshot', {
      ...(description ? { description } : {}),
      ...(call.flag('vmstate') ? { withState: true } : {}),
    });
  },
  [`GET ${ONE}`]: () => [{ cmd: 'rollback' }, { cmd: 'config' }],
  [`DELETE ${ONE}`]: (call) => snapshotTask(call, 'qmdelsnapshot', call.flag('force') ? { force: true } : {}),
  [`POST ${ONE}/rollback`]: (call) => {
    if (call.flag('start')) call.require(`/vms/${vmidOf(call)}`, ['VM.PowerMgmt']);
    return snapshotTask(call, 'qmrollback', call.flag('start') ? { start: true } : {});
  },
  [`GET ${ONE}/config`]: (call) => shownSnapshot(requireSnapshot(call)),
  [`PUT ${ONE}/config`]: describeSnapshot,
};

export function defineSnapshotTasks(pve: Pve): void {
  pve.tasks.define<SnapshotJob>('qmsnapshot', (job, task) => createSnapshot(pve, job, task));
  pve.tasks.define<SnapshotJob>('qmdelsnapshot', (job) => deleteSnapshot(pve, job));
  pve.tasks.define<SnapshotJob>('qmrollback', (job) => {
    rollbackSnapshot(pve, job);
    const vm = requireOnNode(pve, job.host, job.vmid);
    if (job.start && !vm.running) startTask(pve, { user: job.user }, { host: job.host, vmid: job.vmid });
    return undefined;
  });
}

function snapshotTask(call: Call, type: string, options: Partial<SnapshotJob>): string {
  const job: SnapshotJob = {
    host: nodeOf(call),
    vmid: vmidOf(call),
    name: call.text('snapname') ?? '',
    user: call.who.id,
    ...options,
  };
  return call.pve.tasks.start(call, { node: job.host, type, id: String(job.vmid), args: job, duration: 800 });
}

function listSnapshots(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const taken = Object.values(vm.snapshots).map((snapshot) => ({
    name: snapshot.name,
    snaptime: snapshot.time,
    vmstate: snapshot.vmstate ? 1 : 0,
    description: snapshot.description ?? '',
    ...(snapshot.parent === undefined ? {} : { parent: snapshot.parent }),
  }));
  const current = {
    name: 'current',
    digest: digestOf(vm),
    running: vm.running ? 1 : 0,
    description: 'You are here!',
    ...(vm.config.parent === undefined ? {} : { parent: vm.config.parent }),
  };
  return [...taken, current];
}

function requireSnapshot(call: Call) {
  const name = call.text('snapname') ?? '';
  const snapshot = snapshotOf(loadVm(call.pve, nodeOf(call), vmidOf(call)), name);
  if (!snapshot) throw new PveError(500, `snapshot '${name}' does not exist`);
  return snapshot;
}

function describeSnapshot(call: Call): null {
  const description = call.text('description');
  if (description === undefined) return null;
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  assertUnlocked(vm.config);
  const snapshot = requireSnapshot(call);
  const { description: _before, ...rest } = snapshot;
  const text = description.replace(/\s+$/, '');
  // An empty description is none.
  vm.snapshots[snapshot.name] = text === '' ? rest : { ...rest, description: text };
  saveVm(call.pve, vm);
  return null;
}
