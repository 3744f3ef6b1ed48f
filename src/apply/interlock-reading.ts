/** What the interlock sees of a VM, and the words with which it refuses. */
import type { VmConfig, VolumeReference } from '../formats/vm-config.js';
import { OxherdError } from '../model/error.js';
import type { Vmid } from '../model/identity.js';

export class InterlockError extends OxherdError {
  override readonly name = 'InterlockError';
}

/** A VM as it is now: running values and pending ones, since either may name a volume. */
export interface Reading {
  readonly vmid: Vmid;
  readonly config: VmConfig;
  readonly isData: boolean;
  /** Volumes whose deletion was begun. */
  readonly deleting: ReadonlySet<string>;
}

/** Every line that names a volume, with its WWN where it has one. */
export function volumesOf({ config }: Reading): readonly VolumeReference[] {
  return config.references.filter(({ role }) => role !== 'cdrom' && role !== 'cloudinit');
}

export function refuse(what: string, why: string): never {
  throw new InterlockError('interlock.refused', `refused: ${what}; ${why}`, {
    advice: 'nothing was changed; this is the guard that keeps data, please report how it came to this',
  });
}
