/** VMs of the cluster whose node is no longer in the config. */

import type { Design } from '../../design/design.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVms } from '../../observe/observed-vms.js';

/** Workers first: what runs there can still move. */
export function removedVms(design: Design, observed: Pick<Observed, 'vms'>): ObservedVm[] {
  const wanted = new Set(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  return visibleVms(observed)
    .filter((vm) => !wanted.has(vm.vmid))
    .sort((a, b) => Number(isControlPlaneVm(a)) - Number(isControlPlaneVm(b)) || a.vmid - b.vmid);
}

/** The design tags control planes; a node that has left the config has nothing else to tell its role by. */
export function isControlPlaneVm(vm: ObservedVm): boolean {
  return vm.tags.includes('control-plane');
}
