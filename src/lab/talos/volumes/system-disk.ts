import { MIB } from '../../../model/size.js';
import type { Firmware, VolumeContent } from '../../lab.js';
import { partitionData, writePartitionData } from './partitions.js';

/** What is written on a system disk: the boot entries and their fall-back, META, the partitions of an image. */

export type System = NonNullable<VolumeContent['system']>;

interface Image {
  readonly schematic: string;
  readonly version: string;
}

/** Partitions of a Talos disk image, in MiB (1.14). STATE is formatted and EPHEMERAL made by the machine. */
const PARTITIONS = [
  { label: 'EFI', size: 2_101, filesystem: 'vfat' },
  { label: 'BIOS', size: 1 },
  { label: 'BOOT', size: 2_000, filesystem: 'xfs' },
  { label: 'META', size: 1 },
  { label: 'STATE', size: 100 },
] as const;

/** A disk that Talos installed itself on, with the boot loader of the firmware that it runs with; what was there is gone. */
export function installedDisk(
  arch: string,
  { schematic, version }: Image,
  firmware?: Firmware,
): VolumeContent {
  return {
    system: { kind: 'talos', arch, schematic, version, ...(firmware && { firmware }) },
    partitions: systemPartitions({}),
    data: { META: {} },
  };
}

/** Another Talos beside the running one, which the next boot tries. */
export function upgradedDisk(content: VolumeContent, { schematic, version }: Image): VolumeContent {
  const { system } = content;
  if (!system) return content;
  const { previous: _, ...rest } = system;
  const previous = { schematic: system.schematic, version: system.version };
  return {
    ...writePartitionData(content, 'META', { upgrade: 'pending' }),
    system: { ...rest, schematic, version, previous },
  };
}

/** The boot entry before, and the present one behind it; `undefined`: there is none. */
export function revertedDisk(content: VolumeContent): VolumeContent | undefined {
  const { system } = content;
  if (!system?.previous) return undefined;
  const { schematic, version, previous } = system;
  return { ...content, system: { ...system, ...previous, previous: { schematic, version } } };
}

/** Whether the next boot is the first of an upgraded system. */
export function triesUpgrade(content: VolumeContent): boolean {
  const meta = partitionData(content, 'META');
  const pending =
    typeof meta === 'object' && meta !== null && 'upgrade' in meta && meta.upgrade === 'pending';
  return pending && content.system?.previous !== undefined;
}

/** Whether the firmware finds a boot loader of its own on the disk. */
export function isBootable({ system }: VolumeContent, firmware: Firmware = 'bios'): boolean {
  return system !== undefined && (system.firmware ?? firmware) === firmware;
}

/**
 * The disk after a boot: an image has its partitions, an upgrade is done or taken back. A disk image carries GRUB and
 * sd-boot; the first boot deletes the partitions of the other one (facts on Talos 1.14, disk images).
 */
export function bootedDisk(
  content: VolumeContent,
  fallsBack: boolean,
  firmware: Firmware = 'bios',
): VolumeContent {
  if (!content.system) return content;
  const system = { ...content.system, firmware };
  const { partitions } = content;
  const { kind, arch, previous } = system;
  const hasMeta = partitions?.some(({ label }) => label === 'META') === true;
  return {
    ...writePartitionData(content, 'META', { upgrade: fallsBack ? 'fell back' : 'done' }),
    system: fallsBack && previous ? { kind, arch, firmware, ...previous } : system,
    partitions: hasMeta ? partitions : systemPartitions(content),
  };
}

function systemPartitions(content: VolumeContent): NonNullable<VolumeContent['partitions']> {
  const kept = (content.partitions ?? []).filter(
    (old) => !PARTITIONS.some(({ label }) => label === old.label),
  );
  return [...PARTITIONS.map((partition) => ({ ...partition, size: partition.size * MIB })), ...kept];
}
