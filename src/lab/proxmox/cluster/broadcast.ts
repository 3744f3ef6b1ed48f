/**
 * Figures of VMs reach the other hosts with a broadcast every ten seconds: until then a new VM has no name and the
 * status `unknown` in the cluster's lists, and a changed one still shows what it was.
 */
import type { Pve } from '../api.js';
import type { PveDb, VmRecord } from '../db.js';
import { vmFigures } from './vm-figures.js';

export const BROADCAST_INTERVAL = 10_000;

interface Broadcast {
  readonly until: number;
  readonly vms: Map<number, VmRecord>;
  /** When each host was last heard of. */
  readonly hosts: Map<string, number>;
}

const latest = new WeakMap<PveDb, Broadcast>();

/** A host that does not report goes on being what it said last; so do its VMs (recording node-states). */
function current({ core, db }: Pve): Broadcast {
  const now = core.clock.now();
  const known = latest.get(db);
  if (known && now < known.until) return known;
  const until = (Math.floor(now / BROADCAST_INTERVAL) + 1) * BROADCAST_INTERVAL;
  const last = until - BROADCAST_INTERVAL;
  const vms = new Map<number, VmRecord>();
  const hosts = new Map<string, number>();
  for (const { name } of db.hosts.values()) {
    const heard = known?.hosts.get(name);
    if (reports(core, name)) hosts.set(name, last);
    else if (heard !== undefined) hosts.set(name, heard);
  }
  for (const vm of db.vms.values()) {
    const before = known?.vms.get(vm.vmid);
    if (reports(core, vm.host)) {
      if (createdAt(vm) < last) vms.set(vm.vmid, vm);
    } else if (before) vms.set(vm.vmid, before);
  }
  const broadcast = { until, vms, hosts };
  latest.set(db, broadcast);
  return broadcast;
}

/** A host goes down: what it reported in its last seconds is what the others know of it. */
export function lastReport(pve: Pve, host: string): void {
  const { vms, hosts } = current(pve);
  hosts.set(host, pve.core.clock.now());
  for (const vm of pve.db.vms.values()) if (vm.host === host) vms.set(vm.vmid, vm);
}

function reports({ faults }: Pve['core'], host: string): boolean {
  return !faults.holds('statd-down', host) && !faults.holds('host-down', host);
}

/** What was last heard of it counts for five minutes. */
const SILENCE = 300_000;

export function isHeardOf(pve: Pve, host: string): boolean {
  const heard = current(pve).hosts.get(host);
  return heard !== undefined && pve.core.clock.now() - heard < SILENCE;
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
