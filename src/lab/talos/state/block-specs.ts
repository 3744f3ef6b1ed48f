import { prettySize, viewDisks } from '../disks.js';
import type { Machine } from '../machine.js';
import { WHOLE_DISK } from '../partitions.js';

/** What is on the disks: each disk and each of its partitions. */
export function discoveredVolumes(machine: Machine): { id: string; spec: unknown }[] {
  const { hardware } = machine;
  return viewDisks(hardware).flatMap((disk) => {
    const partitions = hardware.drives.find((drive) => drive.slot === disk.slot)?.content.partitions ?? [];
    const whole = partitions.find((partition) => partition.label === WHOLE_DISK);
    const table = partitions.length > 0 && !whole ? 'gpt' : (whole?.filesystem ?? '');
    const self = {
      id: disk.id,
      spec: {
        size: disk.size,
        prettySize: prettySize(disk.size),
        name: table,
        type: 'disk',
        devPath: disk.devPath,
      },
    };
    const parts = partitions
      .filter((partition) => partition.label !== WHOLE_DISK)
      .map((partition, index) => ({
        id: partitionId(disk.id, index),
        spec: {
          size: partition.size,
          prettySize: prettySize(partition.size),
          name: partition.filesystem ?? '',
          type: 'partition',
          partitionLabel: partition.label,
          partitionIndex: index + 1,
          parent: disk.id,
          parentDevPath: disk.devPath,
          devPath: `/dev/${partitionId(disk.id, index)}`,
        },
      }));
    return [self, ...parts];
  });
}

export function volumeStatuses(machine: Machine): { id: string; spec: unknown }[] {
  const { hardware } = machine;
  const disks = viewDisks(hardware);
  const own = machine.record.volumes.map((volume) => {
    const disk = disks.find((one) => one.slot === volume.slot);
    const partitions = hardware.drives.find((drive) => drive.slot === volume.slot)?.content.partitions ?? [];
    const index = partitions.findIndex((partition) => partition.label === volume.label);
    const partition = disk && volume.type === 'partition' && index >= 0;
    return {
      id: volume.id,
      spec: {
        phase: volume.phase,
        type: volume.type,
        ...(disk ? { location: partition ? `/dev/${partitionId(disk.id, index)}` : disk.devPath } : {}),
        ...(partition ? { parentLocation: disk.devPath, partitionIndex: index + 1 } : {}),
        ...(volume.size === undefined ? {} : { size: volume.size, prettySize: prettySize(volume.size) }),
        ...(volume.filesystem === undefined ? {} : { filesystem: volume.filesystem }),
        ...(volume.error === undefined ? {} : { errorMessage: volume.error }),
        ...(volume.preFailPhase === undefined ? {} : { preFailPhase: volume.preFailPhase }),
        ...(volume.encryption
          ? {
              encryptionProvider: 'luks2',
              encryptionSlot: volume.encryption.slot,
              encryptionLockedToState: volume.encryption.lockedToState,
              configuredEncryptionKeys: volume.encryption.keys,
            }
          : {}),
      },
    };
  });
  const system = disks.find((disk) => disk.slot === machine.systemDrive?.slot);
  const meta =
    machine.systemDrive?.content.partitions?.findIndex((partition) => partition.label === 'META') ?? -1;
  if (!system || meta < 0) return own;
  const location = `/dev/${partitionId(system.id, meta)}`;
  const spec = { phase: 'ready', type: 'partition', location, parentLocation: system.devPath };
  return [...own, { id: 'META', spec }];
}

/** `sda1`, but `nvme0n1p1` where the disk's own name ends with a digit. */
function partitionId(disk: string, index: number): string {
  return /\d$/.test(disk) ? `${disk}p${index + 1}` : `${disk}${index + 1}`;
}
