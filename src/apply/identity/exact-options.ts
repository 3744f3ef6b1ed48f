/** Options of a VM that is adopted or released, drives included: written out as they are, defaults too. */
import { parseDrive } from '../../formats/proxmox/property-string.js';
import { isDriveSlot } from '../../formats/proxmox/vm-config.js';
import { sameDriveOptions, sameVmOption } from '../../formats/proxmox/vm-option.js';
import { ALREADY, DONE, type StepContext, type StepOutcome } from '../support/context.js';
import { writeOptions } from '../support/write-options.js';

export async function writeExactOptions(
  context: StepContext,
  vm: Parameters<typeof writeOptions>[1],
): Promise<StepOutcome> {
  const written = await writeOptions(context, vm, {
    isSet: same,
    isPlanned: same,
    advice: 'it was changed meanwhile; nothing was written, run the command again',
  });
  return written ? DONE : ALREADY;
}

/** The size of a drive is the volume's. An option that goes must not be there, whatever its default. */
function same(key: string, a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (!isDriveSlot(key)) return a === b || sameVmOption(key, a, b);
  const [one, other] = [parseDrive(a), parseDrive(b)];
  return one.file === other.file && sameDriveOptions(one.options, other.options);
}
