/**
 * Disks that a machine sees without their identity. A WWN that was written to the drive of a running VM is in the VM's
 * config at once, and in the guest after a stop and start: a reboot inside the guest leaves QEMU running.
 */
import type { DriveDesign } from './design.js';

/** A volume as Talos calls it. */
export function talosVolumeOf({ kind, name }: DriveDesign): string {
  return kind === 'volume' ? `u-${name}` : kind === 'ephemeral' ? 'EPHEMERAL' : 'STATE';
}

export function drivesWithoutIdentity(
  drives: readonly DriveDesign[],
  volumes: readonly {
    readonly id: string;
    readonly phase: string;
    readonly wwid?: string;
    readonly detached?: true;
  }[],
): DriveDesign[] {
  return drives.filter((drive) => {
    const volume = volumes.find(({ id }) => id === talosVolumeOf(drive));
    return volume?.phase === 'ready' && volume.wwid === undefined && volume.detached !== true;
  });
}
