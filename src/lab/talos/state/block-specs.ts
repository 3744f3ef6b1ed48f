import type { Machine } from '../machine/machine.js';
import { mountsOf } from '../machine/machine-files.js';
import { prettySize, viewDisks } from '../volumes/disks.js';
import { WHOLE_DISK } from '../volumes/partitions.js';

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
        dev_path: disk.devPath,
        type: 'disk',
        device_path: disk.busPath,
        offset: 0,
        size: disk.size,
        pretty_size: prettySize(disk.size),
        sector_size: 512,
        io_size: 512,
        name: table,
      },
    };
    let offset = 1024 ** 2;
    const parts = partitions
      .filter((partition) => partition.label !== WHOLE_DISK)
      .map((partition, index) => {
        const id = partitionId(disk.id, index);
        const spec = {
          dev_path: `/dev/${id}`,
          type: 'partition',
          device_path: `${disk.busPath}/${id}`,
          parent: disk.id,
          parent_dev_path: disk.devPath,
          offset,
          size: partition.size,
          pretty_size: prettySize(partition.size),
          sector_size: 512,
          io_size: 512,
          name: partition.filesystem ?? '',
          partition_label: partition.label,
          partition_index: index + 1,
        };
        offset += partition.size;
        return { id, spec };
      });
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
        ...(volume.preFailPhase === undefined ? {} : { preFailPhase: volume.preFailPhase }),
        type: volume.type,
        ...(disk ? { location: partition ? `/dev/${partitionId(disk.id, index)}` : disk.devPath } : {}),
        ...(partition ? { partitionIndex: index + 1, parentLocation: disk.devPath } : {}),
        ...(volume.size === undefined ? {} : { size: volume.size, prettySize: prettySize(volume.size) }),
        ...(volume.filesystem === undefined ? {} : { filesystem: volume.filesystem }),
        ...(volume.encryption
          ? {
              encryptionProvider: 'luks2',
              ...(volume.encryption.failedSyncs && {
                encryptionFailedSyncs: volume.encryption.failedSyncs,
              }),
              configuredEncryptionKeys: volume.encryption.keys,
              encryptionLockedToState: volume.encryption.lockedToState,
              encryptionSlot: volume.encryption.slot,
            }
          : {}),
        ...(volume.error === undefined ? {} : { errorMessage: volume.error }),
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

/** The same in the older kind, which `talosctl get mounts` shows. */
export function mountedVolumes(machine: Machine): { id: string; spec: unknown }[] {
  return mountsOf(machine).flatMap(({ volume, source, target, filesystem }) =>
    volume === undefined
      ? []
      : [{ id: volume, spec: { source, target, filesystemType: filesystem, options: [], encrypted: false } }],
  );
}

/** What is mounted, by volume. */
export function mountStatuses(machine: Machine): { id: string; spec: unknown }[] {
  return mountsOf(machine)
    .filter(({ volume }) => volume !== undefined)
    .map(({ volume, source, target, filesystem }) => ({
      id: volume ?? '',
      spec: {
        spec: { volumeID: volume, parentID: '', requesters: ['sequencer'], readOnly: false },
        source,
        target,
        filesystem,
        readOnly: false,
        projectQuotaSupport: volume === 'EPHEMERAL',
        detached: false,
      },
    }));
}

/** `sda1`, but `nvme0n1p1` where the disk's own name ends with a digit. */
function partitionId(disk: string, index: number): string {
  return /\d$/.test(disk) ? `${disk}p${index + 1}` : `${disk}${index + 1}`;
}
