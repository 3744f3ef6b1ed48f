/** How the planner looks at an observed VM: its drives by WWN, pending changes counted in. */
import { ownerOfVolume, type SlotDrive, scsiDrives } from '../../formats/drive-slots.js';
import type { Wwn } from '../../model/identity.js';
import type { ObservedVm, VmState } from '../../observe/observed.js';

export interface VmView {
  readonly vm: ObservedVm;
  readonly state: VmState;
  /** What the VM will have after its next start. */
  readonly effective: Readonly<Record<string, string>>;
  readonly drives: readonly SlotDrive[];
  readonly byWwn: ReadonlyMap<Wwn, SlotDrive>;
  /** `unusedN` → volume id. */
  readonly unused: Readonly<Record<string, string>>;
}

/** Every part of the planner looks at the same VMs; what was observed does not change. */
const views = new WeakMap<ObservedVm, VmView>();

export function vmView(vm: ObservedVm): VmView | undefined {
  if (!vm.config.known) return undefined;
  const seen = views.get(vm);
  if (seen) return seen;
  const view = makeView(vm, vm.config.value);
  views.set(vm, view);
  return view;
}

function makeView(vm: ObservedVm, state: VmState): VmView {
  const effective: Record<string, string> = { ...state.values };
  for (const [key, value] of Object.entries(state.pending)) {
    if (value === null) delete effective[key];
    else effective[key] = value;
  }
  const drives = scsiDrives(effective);
  return {
    vm,
    state,
    effective,
    drives,
    byWwn: new Map(drives.flatMap((drive) => (drive.wwn ? [[drive.wwn, drive]] : []))),
    unused: Object.fromEntries(Object.entries(effective).filter(([key]) => /^unused\d+$/.test(key))),
  };
}

export function takenSlots(view: VmView): Set<string> {
  // A slot whose removal is pending is still taken.
  const keys = [...Object.keys(view.effective), ...Object.keys(view.state.values)];
  return new Set(keys.filter((key) => /^scsi\d+$/.test(key)));
}

/** Drives of the view whose volume belongs to VM `owner` and that carry a WWN of our kind. */
export function drivesOwnedBy(view: VmView, owner: number): SlotDrive[] {
  return view.drives.filter((drive) => drive.wwn?.startsWith('0x3') && ownerOfVolume(drive.file) === owner);
}
