/** Series of figures. The lab keeps no past: every point is what is true now. */
import type { Call, Handlers } from '../api.js';
import { vmFigures } from '../cluster/vm-figures.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { requireStorage, spaceOf } from '../storage/storages.js';

/** Seconds between two points. */
const STEPS: Readonly<Record<string, number>> = {
  hour: 60,
  day: 1_800,
  week: 10_800,
  month: 43_200,
  year: 604_800,
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

export const rrdHandlers: Handlers = {
  'GET /nodes/{node}/qemu/{vmid}/rrddata': (call) => {
    const vm = call.pve.db.vms.get(String(vmidOf(call)));
    if (!vm) return series(call, {});
    const { cpus, memory, disk } = vmFigures(vm.config);
    const still = { maxcpu: cpus, maxmem: memory, maxdisk: disk };
    if (!vm.running) return series(call, still);
    const moving = { cpu: 0.01, mem: memory / 2, memhost: memory / 2, disk: 0, diskread: 0, diskwrite: 0 };
    return series(call, { ...still, ...moving, netin: 0, netout: 0 });
  },
  'GET /nodes/{node}/storage/{storage}/rrddata': (call) => {
    const storage = requireStorage(call.pve, call.text('storage') ?? '');
    const { total, used } = spaceOf(call.pve, storage, nodeOf(call));
    return series(call, { total, used });
  },
};
