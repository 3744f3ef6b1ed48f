/** How the planner looks at an observed VM: its drives by WWN, pending changes counted in. */

import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { type VmConfig, type VmDrive, vmConfigOf } from '../../formats/proxmox/vm-config.js';
import { isIdentity } from '../../model/identity.js';
import type { ObservedVm } from '../../observe/observed.js';

export interface VmView extends VmConfig {
  readonly vm: ObservedVm;
}

/** Every part of the planner looks at the same VMs; what was observed does not change. */
const views = new WeakMap<ObservedVm, VmView>();

export function vmView(vm: ObservedVm): VmView | undefined {
  if (!vm.config.known) return undefined;
  const seen = views.get(vm);
  if (seen) return seen;
  const view: VmView = { vm, ...vmConfigOf(vm.config.value) };
  views.set(vm, view);
  return view;
}

export function takenSlots(view: VmView): Set<string> {
  // A slot whose removal is pending is still taken.
  const keys = [...Object.keys(view.effective), ...Object.keys(view.state.values)];
  return new Set(keys.filter((key) => /^scsi\d+$/.test(key)));
}

/** Drives of the view whose volume belongs to VM `owner` and that carry a WWN of our kind. */
export function drivesOwnedBy(view: VmView, owner: number): VmDrive[] {
  return view.drives.filter((drive) => isIdentity(drive.wwn) && ownerOfVolume(drive.file) === owner);
}
