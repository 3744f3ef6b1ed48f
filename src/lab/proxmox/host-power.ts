/** A host that goes down takes what runs on it along; one that comes back starts what is to start with it. */
import type { Pve } from './api.js';
import { lastReport } from './cluster/broadcast.js';
import { powerOff } from './qemu/power/machine.js';
import { startTask } from './qemu/power/power-tasks.js';

export function followHostPower(pve: Pve): void {
  const { faults } = pve.core;
  const isDown = (host: string) => faults.holds('host-down', host);
  const hosts = () => [...pve.db.hosts.values()].map(({ name }) => name);
  let down = new Set(hosts().filter(isDown));
  for (const host of down) killVms(pve, host);
  faults.onSwitch((name) => {
    if (name !== 'host-down') return;
    const now = new Set(hosts().filter(isDown));
    for (const host of now) if (!down.has(host)) killVms(pve, host);
    for (const host of down) if (!now.has(host)) startVms(pve, host);
    down = now;
  });
}

function vmsOn(pve: Pve, host: string) {
  return [...pve.db.vms.values()].filter((vm) => vm.host === host);
}

function killVms(pve: Pve, host: string): void {
  lastReport(pve, host);
  for (const vm of vmsOn(pve, host)) if (vm.running) powerOff(pve, vm.vmid);
}

/** Resources of HA are the manager's to start. */
function startVms(pve: Pve, host: string): void {
  for (const { vmid, config, template, running } of vmsOn(pve, host)) {
    if (config.onboot !== '1' || template || running || pve.db.haResources.has(`vm:${vmid}`)) continue;
    startTask(pve, { user: 'root@pam' }, { host, vmid });
  }
}
