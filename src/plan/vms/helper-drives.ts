/**
 * The drives of a Talos VM that hold no data: cloud-init, EFI variables, installation media. A machine with a new system
 * disk cannot start without them, so they are compared like other drives.
 */
import type { AuxiliaryDrive, NodeDesign } from '../../design/design.js';
import { adoptionNoteIn } from '../../formats/marks/adoption-note.js';
import type { VmConfig, VmDrive } from '../../formats/proxmox/vm-config.js';

export interface MissingHelper {
  readonly slot: string;
  readonly drive: AuxiliaryDrive;
}

interface HelperDrives {
  /** What the VM gets, and where. */
  readonly missing: readonly MissingHelper[];
  /** Drives for which there is no slot: what holds each of the slots that would do. */
  readonly blocked: readonly { readonly drive: AuxiliaryDrive; readonly by: string }[];
}

/** On q35 CD-ROMs sit on the even slots of ide, and oxherd takes no other one for its own. */
const CDROM_SLOTS = ['ide2', 'ide0'];

/** `installs`: the machine starts with a new system disk, and needs its installation media again. */
export function helperDrives(
  wanted: NodeDesign['talosVm']['auxiliary'],
  view: VmConfig,
  { installs }: { readonly installs: boolean },
): HelperDrives {
  const missing: MissingHelper[] = [];
  const blocked: { drive: AuxiliaryDrive; by: string }[] = [];
  // A VM that was adopted starts as it did before; it gets what it never had with a new system disk.
  const adopted = adoptionNoteIn(view.effective.description) !== undefined;
  for (const [slot, drive] of Object.entries(wanted)) {
    const needed = installs || (drive.kind !== 'cdrom' && !adopted);
    if (!needed || hasHelper(view, drive)) continue;
    const fixed = drive.kind === 'efi' || drive.kind === 'tpm';
    const slots = fixed ? [slot] : [slot, ...CDROM_SLOTS.filter((other) => other !== slot)];
    const given = new Set(missing.map((other) => other.slot));
    const free = slots.find((candidate) => !given.has(candidate) && isFree(view, candidate, drive));
    if (free !== undefined) missing.push({ slot: free, drive });
    else
      blocked.push({ drive, by: slots.map((one) => `${one}: ${view.effective[one] ?? 'taken'}`).join(', ') });
  }
  return { missing, blocked };
}

/** Wherever it is: Proxmox and Talos find it on any slot. */
export function helperOn(view: Pick<VmConfig, 'all'>, drive: AuxiliaryDrive): VmDrive | undefined {
  return view.all.find((one) =>
    drive.kind === 'cdrom' ? one.role === 'cdrom' && one.file === drive.volid : one.role === drive.kind,
  );
}

function hasHelper(view: VmConfig, drive: AuxiliaryDrive): boolean {
  return helperOn(view, drive) !== undefined;
}

/** Nothing is there, or an empty tray, or the same drive whose removal waits for the next start. */
function isFree({ effective, state }: VmConfig, slot: string, drive: AuxiliaryDrive): boolean {
  const line = effective[slot];
  if (line !== undefined) return /^(none|cdrom),?/.test(line) && drive.kind !== 'efi';
  const removed = state.values[slot];
  if (removed === undefined) return true;
  return drive.kind !== 'cloudinit' || removed.includes('cloudinit');
}

/** What people call it. */
export function helperName({ kind }: AuxiliaryDrive): string {
  switch (kind) {
    case 'cloudinit':
      return 'cloud-init drive';
    case 'efi':
      return 'EFI disk';
    case 'tpm':
      return 'TPM state';
    case 'cdrom':
      return 'installation media';
  }
}
