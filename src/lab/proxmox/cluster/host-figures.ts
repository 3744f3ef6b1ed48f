import type { Pve } from '../api.js';
import type { HostRecord } from '../db.js';
import { vmFigures } from './vm-figures.js';

/** A host's disk for itself, beside its storages. */
export const ROOT_DISK = 100 * 2 ** 30;

/** What is in use follows from the VMs that run. */
export function hostFigures(pve: Pve, host: HostRecord): Record<string, number> {
  const running = [...pve.db.vms.values()].filter((vm) => vm.host === host.name && vm.running);
  const memory = running.reduce((sum, vm) => sum + vmFigures(vm.config).memory, 2 ** 30);
  return {
    maxcpu: host.cpus,
    cpu: Math.min(1, 0.01 + running.length * 0.01),
    maxmem: host.memory,
    mem: Math.min(memory, host.memory),
    maxdisk: ROOT_DISK,
    disk: Math.floor(ROOT_DISK / 10),
    uptime: hostUptime(pve),
  };
}

/** Seconds since the lab was made. */
export function hostUptime(pve: Pve): number {
  const since = Number(pve.db.settings.get('booted') ?? 0);
  return Math.max(1, Math.floor((pve.core.clock.now() - since) / 1000));
}
