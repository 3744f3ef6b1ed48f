/** VMs that HA has recovered from a dead host although their disks were on that host alone: only the configs arrived. */
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed } from '../../observe/observed.js';
import { isGoneVolume } from '../drives/drive-problems.js';
import { vmView } from '../facts/view-of-vm.js';

export function isStranded(observed: Observed, vmid: number): boolean {
  const vm = observed.vms[vmid];
  const view = vm && vmView(vm);
  if (!view || vm.status === 'running') return false;
  return view.drives.some(
    ({ file }) => ownerOfVolume(file) === vmid && isGoneVolume({ observed }, view, file),
  );
}
