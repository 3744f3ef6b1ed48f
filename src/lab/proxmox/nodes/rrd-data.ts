/** Series of figures. The lab keeps no past: every point is what is true now. */
import { type Call, type Handlers, PveError } from '../api.js';
import { hostFigures, ROOT_DISK } from '../cluster/host-figures.js';
import { vmFigures } from '../cluster/vm-figures.js';
import type { StorageRecord } from '../db.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { spaceOf } from '../storage/storages.js';
import { splitList } from '../validation/formats.js';

/** Seconds between two points. */
const STEPS: Readonly<Record<string, number>> = {
  hour: 60,
  day: 1_800,
  week: 10_800,
  month: 43_200,
  year: 604_800,
  decade: 604_800,
};
const POINTS = 70;

function series(call: Call, point: Readonly<Record<string, number>>): unknown[] {
  const step = STEPS[call.text('timeframe') ?? 'hour'] ?? 60;
  const last = Math.floor(call.pve.core.clock.now() / 1000 / step) * step;
  return Array.from({ length: POINTS }, (_, index) => ({
    time: last - (POINTS - 1 - index) * step,
    ...point,
  }));
}

function noSeries(file: string): PveError {
  return new PveError(500, `RRD error: opening '/var/lib/rrdcached/db/${file}': No such file or directory`);
}

function storageOf(call: Call): StorageRecord {
  const id = call.text('storage') ?? '';
  const storage = call.pve.db.storages.get(id);
  if (!storage) throw noSeries(`pve-storage-9.0/${nodeOf(call)}/${id}`);
  return storage;
}

/** A picture is a file on the host: its name is what there is of it. */
function picture(call: Call, file: string): unknown {
  const sources = splitList(call.text('ds') ?? '').join('_');
  return { filename: `/var/lib/rrdcached/db/${file}_${sources}.png` };
}

export const rrdHandlers: Handlers = {
  'GET /nodes/{node}/rrddata': (call) => {
    const host = call.pve.db.hosts.get(nodeOf(call));
    if (!host) return series(call, {});
    const { cpu = 0, mem = 0, maxmem = 0 } = hostFigures(call.pve, host);
    const roots = { roottotal: ROOT_DISK, rootused: Math.floor(ROOT_DISK / 10), swaptotal: 0, swapused: 0 };
    const load = { cpu, maxcpu: host.cpus, loadavg: 0.1, iowait: 0, netin: 0, netout: 0 };
    return series(call, { ...load, memtotal: maxmem, memused: mem, ...roots });
  },
  'GET /nodes/{node}/qemu/{vmid}/rrd': (call) => {
    if (!call.pve.db.vms.has(String(vmidOf(call)))) throw noSeries(`pve-vm-9.0/${vmidOf(call)}`);
    return picture(call, `pve-vm-9.0/${vmidOf(call)}`);
  },
  'GET /nodes/{node}/storage/{storage}/rrd': (call) =>
    picture(call, `pve-storage-9.0/${nodeOf(call)}/${storageOf(call).id}`),
  'GET /nodes/{node}/qemu/{vmid}/rrddata': (call) => {
    const vm = call.pve.db.vms.get(String(vmidOf(call)));
    if (!vm) throw noSeries(`pve-vm-9.0/${vmidOf(call)}`);
    const { cpus, memory, disk } = vmFigures(vm.config);
    const still = { maxcpu: cpus, maxmem: memory, maxdisk: disk };
    if (!vm.running) return series(call, still);
    const moving = { cpu: 0.01, mem: memory / 2, memhost: memory / 2, disk: 0, diskread: 0, diskwrite: 0 };
    return series(call, { ...still, ...moving, netin: 0, netout: 0 });
  },
  'GET /nodes/{node}/storage/{storage}/rrddata': (call) => {
    const storage = storageOf(call);
    const { total, used } = spaceOf(call.pve, storage, nodeOf(call));
    return series(call, { total, used });
  },
};
