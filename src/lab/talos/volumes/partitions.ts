/** A disk's partitions and what they hold, as values. */
import { MIB } from '../../../model/size.js';
import type { VolumeContent } from '../../lab.js';
import type { MaxSize } from './volume-spec.js';

export type Partition = NonNullable<VolumeContent['partitions']>[number];

/** What a whole-disk file system is called in a volume's content: it has no partition, so no label. */
export const WHOLE_DISK = '';

/** Where its data is kept: partitions keep theirs by label. */
const WHOLE_DISK_DATA = 'disk';

/** GPT at both ends, aligned. */
const TABLE = 2 * MIB;

/** The system disk is the one with META. */
export function isSystemDisk(content: VolumeContent): boolean {
  return (
    content.system !== undefined || (content.partitions ?? []).some((partition) => partition.label === 'META')
  );
}

export function hasWholeDiskFilesystem(content: VolumeContent): boolean {
  return (content.partitions ?? []).some((partition) => partition.label === WHOLE_DISK);
}

export function freeSpace(content: VolumeContent, diskSize: number): number {
  const used = (content.partitions ?? []).reduce((sum, partition) => sum + partition.size, TABLE);
  return Math.max(0, Math.floor((diskSize - used) / MIB) * MIB);
}

/** Only the last partition has room behind it; less than 1 MiB is left alone. */
export function grown(
  content: VolumeContent,
  partition: Partition,
  diskSize: number,
  maxSize: MaxSize | undefined,
): number {
  if (content.partitions?.at(-1) !== partition) return partition.size;
  const growth = freeSpace(content, diskSize);
  if (growth <= MIB) return partition.size;
  // Growing looks at an absolute limit alone (volumes/grow.go).
  const limit = maxSize && 'bytes' in maxSize ? maxSize.bytes : Number.POSITIVE_INFINITY;
  return Math.max(partition.size, Math.min(partition.size + growth, limit));
}

export function resolveMaxSize(maxSize: MaxSize, available: number): number {
  if ('bytes' in maxSize) return maxSize.bytes;
  if ('percent' in maxSize) return Math.floor((available * maxSize.percent) / 100);
  if (maxSize.leave >= available) throw new Error('error resolving max size: not enough space to leave free');
  return available - maxSize.leave;
}

/** A new partition holds nothing of what was there: data is known by when and by whom it was begun. */
export function addPartition(content: VolumeContent, partition: Partition, stamp: string): VolumeContent {
  const made = { ...content, partitions: [...(content.partitions ?? []), partition] };
  // STATE is written by its machine when it has a config.
  if (partition.label === 'STATE') return made;
  return writePartitionData(made, partition.label || WHOLE_DISK_DATA, { begun: stamp });
}

export function replacePartition(content: VolumeContent, partition: Partition): VolumeContent {
  return {
    ...content,
    partitions: (content.partitions ?? []).map((old) => (old.label === partition.label ? partition : old)),
  };
}

/** What a partition holds; the lab keeps it beside the partition table, by label. */
export function partitionData(content: VolumeContent, label: string): unknown {
  return content.data?.[label];
}

export function writePartitionData(content: VolumeContent, label: string, data: unknown): VolumeContent {
  const { [label]: _, ...rest } = content.data ?? {};
  return { ...content, data: data === undefined ? rest : { ...rest, [label]: data } };
}

/** Takes partitions away with what was in them. */
export function dropPartitions(content: VolumeContent, labels: readonly string[]): VolumeContent {
  const data = Object.fromEntries(
    Object.entries(content.data ?? {}).filter(([label]) => !labels.includes(label)),
  );
  const partitions = (content.partitions ?? []).filter((partition) => !labels.includes(partition.label));
  return { ...content, partitions, data };
}
