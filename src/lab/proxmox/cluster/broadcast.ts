/**
 * Figures of VMs reach the other hosts with a broadcast every ten seconds: until then a new VM has no name and the
 * status `unknown` in the cluster's lists, and a changed one still shows what it was.
 */
import type { Pve } from '../api.js';
import type { VmRecord } from '../db.js';
import { hostIsUp } from '../quorum.js';
import { vmFigures } from './vm-figures.js';

export const BROADCAST_INTERVAL = 10_000;

interface Broadcast {
  readonly until: number;
  readonly vms: Map<number, VmRecord>;
}

const latest = new WeakMap<Pve, Broadcast>();

function current(pve: Pve): Broadcast {
  const now = pve.core.clock.now();
  const known = latest.get(pve);
  if (known && now < known.until) return known;
  const until = (Math.floor(now / BROADCAST_INTERVAL) + 1) * BROADCAST_INTERVAL;
  const last = until - BROADCAST_INTERVAL;
  const vms = new Map<number, VmRecord>();
  for (const vm of pve.db.vms.values()) {
    if (hostIsUp(pve, vm.host) && createdAt(vm) < last) vms.set(vm.vmid, vm);
  }
  const broadcast = { until, vms };
  latest.set(pve, broadcast);
  return broadcast;
}

/** Proxmox notes it in the config; a VM without the note is an old one. */
function createdAt(vm: VmRecord): number {
  return Number(/ctime=(\d+)/.exec(vm.config.meta ?? '')?.[1] ?? 0) * 1000;
}

/** The figures of a VM as the cluster last heard of them; `undefined`: it has heard nothing yet. */
export function broadcastFigures(pve: Pve, vmid: number): Record<string, unknown> | undefined {
  const vm = current(pve).vms.get(vmid);
  if (!vm) return undefined;
  const { cpus, memory, disk } = vmFigures(vm.config);
  const { running } = vm;
  const seconds = running ? Math.floor((pve.core.clock.now() - running.since) / 1000) : 0;
  return {
    name: vm.config.name ?? `VM ${vm.vmid}`,
    status: running ? 'running' : 'stopped',
    template: vm.template ? 1 : 0,
    uptime: seconds,
    maxcpu: cpus,
    cpu: running ? 0.01 : 0,
    maxmem: memory,
    mem: running ? Math.floor(memory / 2) : 0,
    memhost: running ? Math.floor(memory / 2) : 0,
    maxdisk: disk,
    disk: 0,
    netin: 0,
    netout: 0,
    diskread: 0,
    diskwrite: 0,
  };
}
