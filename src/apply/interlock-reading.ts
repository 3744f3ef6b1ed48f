/** What the interlock sees of a VM, and the words with which it refuses. */
import { parseDrive } from '../formats/property-string.js';
import { OxherdError } from '../model/error.js';
import type { Vmid } from '../model/identity.js';

export class InterlockError extends OxherdError {
  override readonly name = 'InterlockError';
}

/** A VM as it is now: running values and pending ones, since either may name a volume. */
export interface Reading {
  readonly vmid: Vmid;
  readonly lines: readonly [key: string, value: string][];
  readonly values: Readonly<Record<string, string>>;
  readonly isData: boolean;
  /** Volumes whose deletion was begun. */
  readonly deleting: ReadonlySet<string>;
}

/** Every line that names a volume, with its WWN where it has one. */
export function volumesOf(vm: Reading): [key: string, volid: string, wwn: string | undefined][] {
  return vm.lines.flatMap(([key, value]) => {
    if (!/^(scsi|virtio|sata|ide|unused)\d+$/.test(key)) return [];
    const drive = parseDrive(value);
    if (drive.options.media === 'cdrom' || !drive.file.includes(':')) return [];
    return [[key, drive.file, drive.options.wwn]];
  });
}

export function refuse(what: string, why: string): never {
  throw new InterlockError('interlock.refused', `refused: ${what}; ${why}`, {
    advice: 'nothing was changed; this is the guard that keeps data, please report how it came to this',
  });
}
