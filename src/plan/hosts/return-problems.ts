/** What a host must have before its nodes come back to it. */

import type { NodeDesign } from '../../design/design.js';
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';

export function returnProblems(observed: Observed, host: string, nodes: readonly NodeDesign[]): Problem[] {
  const why = whyNotBack(observed, host, nodes);
  if (why === undefined) return [];
  return [
    { code: 'host-not-back', scope: 'plan', message: why, advice: 'wait until it is, then run it again' },
  ];
}

/** `undefined`: it is up, and has every storage that the nodes need there. */
export function whyNotBack(
  observed: Observed,
  host: string,
  nodes: readonly NodeDesign[],
): string | undefined {
  const { hosts, storages } = observed;
  const there = hosts[host];
  if (!there) return `Proxmox has no host ${host}; hosts are: ${Object.keys(hosts).sort().join(', ')}`;
  if (!there.online) return `${host} is down`;
  const needed = new Set(
    nodes
      .flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])])
      .flatMap((vmid) => visibleVm(observed, vmid) ?? [])
      .flatMap((vm) => vmView(vm)?.drives ?? [])
      .map(({ file }) => storageOfVolume(file)),
  );
  const missing = [...needed].filter((name) => storages[`${host}/${name}`]?.active === false).sort();
  return missing.length > 0 ? `storage ${missing.join(', ')} of ${host} is not active` : undefined;
}
