/** Drives whose size is not the caller's to choose. */
import type { Drive } from './drives.js';

const MIB = 1024 ** 2;

export const CLOUD_INIT_SIZE = 4 * MIB;
const TPM_STATE_SIZE = 4 * MIB;
/** The size of the firmware's variables. */
const EFI_VARIABLES_SIZE: Readonly<Record<string, number>> = { '2m': 128 * 1024, '4m': 528 * 1024 };

/** What such a drive gets, whatever was asked for and however large its source is. */
export function fixedSize(key: string, { options }: Drive): number | undefined {
  if (key === 'tpmstate0') return TPM_STATE_SIZE;
  return key === 'efidisk0' ? EFI_VARIABLES_SIZE[options.efitype ?? '2m'] : undefined;
}
