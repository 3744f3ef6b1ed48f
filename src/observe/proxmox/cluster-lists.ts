/** What the one list of all resources of a Proxmox cluster says of its hosts, storages and guests. */
import type { Resources } from '../../clients/proxmox/calls/resources.js';
import type { Vmid } from '../../model/identity.js';
import type { Observed } from '../observed.js';

/** `up`: hosts that the cluster counts in; one that does not report its load is up all the same. */
export function hostsOf(resources: Resources, up: ReadonlySet<string>): Observed['hosts'] {
  return Object.fromEntries(
    resources.hosts.map((host) => [
      host.node,
      {
        name: host.node,
        online: host.online || (host.unreported && up.has(host.node)),
        ...(host.cpus !== undefined && { cpus: host.cpus }),
        ...(host.memory !== undefined && { memory: host.memory }),
        ...(host.memoryUsed !== undefined && { memoryUsed: host.memoryUsed }),
      },
    ]),
  );
}

export function storagesOf(resources: Resources): Observed['storages'] {
  return Object.fromEntries(
    resources.storages.map((storage) => [
      `${storage.node}/${storage.storage}`,
      {
        host: storage.node,
        name: storage.storage,
        content: storage.content,
        shared: storage.shared,
        active: storage.available,
        type: storage.type,
        ...(storage.total !== undefined && { total: storage.total }),
        ...(storage.used !== undefined && { used: storage.used }),
      },
    ]),
  );
}

/** Ids of guests that exist, ours or not. */
export function takenIds(resources: Resources): Observed['taken'] {
  return Object.fromEntries(
    resources.vms.map((vm) => [
      vm.vmid,
      {
        vmid: vm.vmid as Vmid,
        name: vm.name ?? '',
        host: vm.node,
        tags: vm.tags,
        status: vm.status,
        ...(vm.cpus !== undefined && { cpus: vm.cpus }),
        ...(vm.memory !== undefined && { memory: vm.memory }),
        ...(vm.lock !== undefined && { lock: vm.lock }),
        ...(vm.haState !== undefined && { ha: vm.haState }),
      },
    ]),
  );
}
