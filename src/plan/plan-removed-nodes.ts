/** Nodes that the file no longer names: the Talos VM goes, the data VM and everything on it stays. */

import { DATA_TAG } from '../formats/data-tag.js';
import { ownerOfVolume } from '../formats/drive-slots.js';
import { dataVmidOf } from '../model/identity.js';
import type { PlanContext } from './input.js';
import { viewOfVm } from './view-of-vm.js';

export function planRemovedNodes({ design, observed, list, problems, notes }: PlanContext): void {
  const wanted = new Set(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  const removed = Object.values(observed.vms)
    .filter((vm) => vm.tags.includes(design.cluster.tag) && !wanted.has(vm.vmid))
    .sort((a, b) => a.vmid - b.vmid);
  for (const vm of removed) {
    if (vm.tags.includes(DATA_TAG)) {
      notes.push({
        code: 'parked',
        message: `data VM ${vm.vmid} (${vm.name}) on ${vm.host} is kept: its node is not in the file`,
      });
      continue;
    }
    const view = viewOfVm(vm);
    const dataVmid = dataVmidOf(vm.vmid);
    const hasData = dataVmid !== undefined && observed.vms[dataVmid]?.tags.includes(DATA_TAG) === true;
    const owned = view?.drives.filter((drive) => ownerOfVolume(drive.file) === vm.vmid) ?? [];
    if (!view || (!hasData && owned.length > 0)) {
      problems.push({
        code: 'removed-node-owns-data',
        scope: 'node',
        message: view
          ? `VM ${vm.vmid} (${vm.name}) is not in the file, but it owns its disks (${owned.map((drive) => drive.file).join(', ')}): removing it would destroy them`
          : `VM ${vm.vmid} (${vm.name}) is not in the file and could not be read`,
        advice: view
          ? `put the node back into the file, or destroy the VM by hand: qm destroy ${vm.vmid}`
          : 'run plan again when its host answers',
      });
      continue;
    }
    list.add(String(vm.vmid), {
      kind: 'destroy-talos-vm',
      node: vm.name,
      title: `remove VM ${vm.vmid} (${vm.name}) from ${vm.host}; its data VM ${dataVmid} is kept`,
      reasons: ['its node is not in the file'],
      impact: 'remove',
      load: { host: vm.host },
      vmid: vm.vmid,
      ...(hasData && { dataVmid }),
      host: vm.host,
    });
  }
}
