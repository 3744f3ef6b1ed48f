/** Which scsi slots are free, and whose a volume is by its name. */

const SCSI_SLOTS = 31;

/** The VM that a volume belongs to by its name: `local-zfs:vm-1410-disk-0`, `nfs:1410/vm-1410-disk-0.qcow2`. */
export function ownerOfVolume(volid: string): number | undefined {
  const match = /^[^:]+:(?:.*\/)?(?:vm|base|subvol)-(\d+)-/.exec(volid);
  return match ? Number(match[1]) : undefined;
}

export function storageOfVolume(volid: string): string {
  return volid.slice(0, Math.max(0, volid.indexOf(':')));
}

/** `undefined` when all slots are taken. */
export function lowestFreeSlot(taken: ReadonlySet<string>): string | undefined {
  for (let number = 0; number < SCSI_SLOTS; number += 1)
    if (!taken.has(`scsi${number}`)) return `scsi${number}`;
  return undefined;
}

/** From the top: the CSI driver takes the lowest free slot, without looking whether someone else wants it. */
export function highestFreeSlot(taken: ReadonlySet<string>): string | undefined {
  for (let number = SCSI_SLOTS - 1; number > 0; number -= 1)
    if (!taken.has(`scsi${number}`)) return `scsi${number}`;
  return undefined;
}
