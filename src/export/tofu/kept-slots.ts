/** Slots that drives have in an export written before: they stay, whatever names are added. */
import { isMapping } from '../../formats/text/mapping.js';

interface Slots {
  readonly interface?: string;
  readonly data_interface?: string;
}

/** By node, then by drive. */
export type KeptSlots = ReadonlyMap<string, ReadonlyMap<string, Slots>>;

/** Slots of one VM, `scsi0` to `scsi30`. */
const LAST_SLOT = 30;

/** `variables`: the terraform.tfvars that is there, as values. */
export function slotsIn(variables: Readonly<Record<string, unknown>>): KeptSlots {
  const nodes: readonly unknown[] = Array.isArray(variables.nodes) ? variables.nodes : [];
  return new Map(
    nodes.filter(isMapping).flatMap((node) => {
      if (typeof node.name !== 'string' || !isMapping(node.disks)) return [];
      const disks = Object.entries(node.disks).flatMap(([name, disk]): [string, Slots][] =>
        isMapping(disk) ? [[name, { ...slot(disk, 'interface'), ...slot(disk, 'data_interface') }]] : [],
      );
      return [[node.name, new Map(disks)] as const];
    }),
  );
}

function slot(disk: Readonly<Record<string, unknown>>, key: keyof Slots): Slots {
  const value = disk[key];
  return typeof value === 'string' ? { [key]: value } : {};
}

/**
 * `wanted`: drives by the slot they would have on a new VM. Drives that were there keep theirs; others take the highest
 * free one from the last down, as `apply` does.
 */
export function keepSlots(
  wanted: ReadonlyMap<string, string>,
  kept: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (kept.size === 0) return wanted;
  const taken = new Set(kept.values());
  const slots = new Map<string, string>();
  for (const [drive] of wanted) {
    const old = kept.get(drive);
    if (old !== undefined) slots.set(drive, old);
  }
  for (const [drive] of wanted) {
    if (slots.has(drive)) continue;
    const free = Array.from({ length: LAST_SLOT + 1 }, (_, i) => `scsi${LAST_SLOT - i}`).find(
      (each) => !taken.has(each),
    );
    if (free === undefined) continue;
    taken.add(free);
    slots.set(drive, free);
  }
  return slots;
}
