/** A host that goes down takes what runs on it along; one that comes back starts what is to start with it. */
import type { Pve } from './api.js';
import { lastReport } from './cluster/broadcast.js';
import { powerOff } from './qemu/power/machine.js';
import { startTask } from './qemu/power/power-tasks.js';

export function followHostPower(pve: Pve): void {
  let down = downHosts(pve);
  pve.core.faults.onSwitch((name) => {
    if (name !== 'host-down') return;
    const now = downHosts(pve);
    for (const host of now) if (!down.has(host)) killVms(pve, host);
    for (const host of down) if (!now.has(host)) startVms(pve, host);
    down = now;
  });
}

/** Switched while no lab ran: once the machines are there, so that their kubelets and API servers end with them. */
export function switchOffDownHosts(pve: Pve): void {
  for (const host of downHosts(pve)) killVms(pve, host);
}

/** Also one that is no longer in the cluster, as long as VMs are listed on it. */
function downHosts({ db, core }: Pve): Set<string> {
  const names = [...db.hosts.values()].map(({ name }) => name);
  const listed = [...db.vms.values()].map(({ host }) => host);
  return new Set([...names, ...listed].filter((host) => core.faults.holds('host-down', host)));
}

function vmsOn(pve: Pve, host: string) {
  return [...pve.db.vms.values()].filter((vm) => vm.host === host);
}

/** Also by its watchdog: nothing starts there again as long as it has no quorum. */
export function killVms(pve: Pve, host: string): void {
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
