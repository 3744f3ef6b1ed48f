import { MIB } from '../../model/size.js';
import type { VolumeContent } from '../lab.js';
import { type DiskView, diskObject, viewDisks } from './disks.js';
import type { Hardware, Hypervisor } from './hypervisor.js';
import type { VolumeState } from './machine-record.js';
import { DISK_ENVIRONMENT } from './selectors/environment.js';
import { compileSelector } from './selectors/evaluate.js';
import type { MaxSize, VolumeSpec } from './volume-spec.js';

type Partition = NonNullable<VolumeContent['partitions']>[number];

/** What a whole-disk file system is called in a volume's content: it has no partition, so no label. */
export const WHOLE_DISK = '';

/** Where its data is kept: partitions keep theirs by label. */
const WHOLE_DISK_DATA = 'disk';

/** GPT at both ends, aligned. */
const TABLE = 2 * MIB;

/**
 * Brings the volumes of a config up, as the volume manager of Talos does it (controllers/block/internal/volumes):
 * a partition is located by its label on any disk, first match; only if it is nowhere the selector says where it is
 * made. A located one is grown if its spec says so, and only here: a volume that is ready is never touched again.
 * `ready` are the states of an earlier pass of the same boot; `stamp` is what a new volume's data is known by from now on.
 */
export function bringUpVolumes(
  hypervisor: Hypervisor,
  hardware: Hardware,
  specs: readonly VolumeSpec[],
  ready: readonly VolumeState[] = [],
  stamp = '',
): VolumeState[] {
  const states: VolumeState[] = [];
  for (const spec of specs) {
    const before = ready.find((state) => state.id === spec.id && state.phase === 'ready');
    // Volumes that are made in one moment are told apart as well.
    const mark = `${stamp} as ${spec.id}`;
    states.push(before ?? bringUp(hypervisor, hardware.vmid, spec, systemWaveDone(specs, states), mark));
  }
  return states;
}

/** User volumes are made when all system volumes have their place. */
function systemWaveDone(specs: readonly VolumeSpec[], states: readonly VolumeState[]): boolean {
  return specs
    .filter((spec) => spec.kind === 'partition' && spec.wave === 'system')
    .every((spec) => states.some((state) => state.id === spec.id && state.phase === 'ready'));
}

function bringUp(
  hypervisor: Hypervisor,
  vmid: number,
  spec: VolumeSpec,
  systemDone: boolean,
  stamp: string,
): VolumeState {
  if (spec.kind === 'directory') return { id: spec.id, type: 'directory', phase: 'ready' };
  const hardware = hypervisor.hardware(vmid);
  if (!hardware) return { id: spec.id, type: spec.kind, phase: 'waiting' };
  const disks = viewDisks(hardware);
  const contentOf = (slot: string) => hardware.drives.find((drive) => drive.slot === slot)?.content ?? {};
  try {
    return spec.kind === 'disk'
      ? bringUpDisk(hypervisor, vmid, spec, disks, contentOf, systemDone, stamp)
      : bringUpPartition(hypervisor, vmid, spec, disks, contentOf, systemDone, stamp);
  } catch (error) {
    return {
      id: spec.id,
      type: spec.kind,
      phase: 'failed',
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

function bringUpPartition(
  hypervisor: Hypervisor,
  vmid: number,
  spec: VolumeSpec & { kind: 'partition' },
  disks: readonly DiskView[],
  contentOf: (slot: string) => VolumeContent,
  systemDone: boolean,
  stamp: string,
): VolumeState {
  for (const disk of disks) {
    const found = (contentOf(disk.slot).partitions ?? []).find((partition) => partition.label === spec.label);
    if (!found) continue;
    // A raw volume has no file system of its own to compare with.
    if (spec.filesystem !== '' && found.filesystem !== undefined && found.filesystem !== spec.filesystem) {
      throw new Error(`filesystem type mismatch: ${found.filesystem} != ${spec.filesystem}`);
    }
    const size = spec.grow ? grown(contentOf(disk.slot), found, disk.size, spec.maxSize) : found.size;
    const written: Partition = {
      ...found,
      size,
      ...(spec.filesystem ? { filesystem: spec.filesystem } : {}),
    };
    if (written.size !== found.size || written.filesystem !== found.filesystem) {
      hypervisor.write(vmid, disk.slot, (content) => replacePartition(content, written));
    }
    return readyState(spec, disk.slot, spec.label, written.size);
  }
  if (spec.wave === 'user' && !systemDone) return { id: spec.id, type: 'partition', phase: 'waiting' };
  const candidates = matching(spec.match, disks, contentOf);
  if (candidates.length === 0) throw new Error('no disks matched selector for volume');
  const rejected = { space: 0, format: 0 };
  for (const disk of candidates) {
    const content = contentOf(disk.slot);
    if (hasWholeDiskFilesystem(content)) {
      rejected.format += 1;
      continue;
    }
    const available = freeSpace(content, disk.size);
    if (available < spec.minSize) {
      rejected.space += 1;
      continue;
    }
    const limit = spec.maxSize ? resolveMaxSize(spec.maxSize, available) : available;
    const size = limit === 0 || limit >= available ? available : limit;
    const made: Partition = {
      label: spec.label,
      size,
      ...(spec.filesystem ? { filesystem: spec.filesystem } : {}),
    };
    hypervisor.write(vmid, disk.slot, (old) => addPartition(old, made, stamp));
    return readyState(spec, disk.slot, spec.label, size);
  }
  throw new Error(
    `no disks matched for volume (${candidates.length} matched selector): ${rejected.space} have not enough space, ` +
      `${rejected.format} have wrong format, 0 have other issues`,
  );
}

/** A whole disk is found by its selector alone, and formatted only when it is empty. */
function bringUpDisk(
  hypervisor: Hypervisor,
  vmid: number,
  spec: VolumeSpec & { kind: 'disk' },
  disks: readonly DiskView[],
  contentOf: (slot: string) => VolumeContent,
  systemDone: boolean,
  stamp: string,
): VolumeState {
  const matched = matching(spec.match, disks, contentOf);
  if (matched.length > 1) {
    const names = matched.map((disk) => disk.devPath).join(' ');
    throw new Error(`multiple disks matched locator for disk volume; matched disks: [${names}]`);
  }
  const disk = matched[0];
  if (!disk) {
    if (!systemDone) return { id: spec.id, type: 'disk', phase: 'waiting' };
    throw new Error('no disks matched selector for volume');
  }
  const content = contentOf(disk.slot);
  const existing = content.partitions ?? [];
  const whole = existing.find((partition) => partition.label === WHOLE_DISK);
  if (existing.length > 0 && whole?.filesystem !== spec.filesystem) {
    throw new Error(`filesystem type mismatch: ${whole?.filesystem ?? 'gpt'} != ${spec.filesystem}`);
  }
  // The disk's own size is the volume's: a file system on a whole disk grows with it when it is brought up.
  const made: Partition = { label: WHOLE_DISK, size: disk.size, filesystem: spec.filesystem };
  if (!whole) hypervisor.write(vmid, disk.slot, (old) => addPartition(old, made, stamp));
  else if (whole.size !== disk.size) hypervisor.write(vmid, disk.slot, (old) => replacePartition(old, made));
  return readyState(spec, disk.slot, WHOLE_DISK, disk.size);
}

function readyState(
  spec: VolumeSpec & { filesystem: string },
  slot: string,
  label: string,
  size: number,
): VolumeState {
  const filesystem = spec.filesystem || 'none';
  return {
    id: spec.id,
    type: spec.kind as 'partition' | 'disk',
    phase: 'ready',
    slot,
    label,
    size,
    filesystem,
  };
}

function matching(
  match: string,
  disks: readonly DiskView[],
  contentOf: (slot: string) => VolumeContent,
): DiskView[] {
  const selects = compileSelector(match, DISK_ENVIRONMENT);
  return disks.filter(
    (disk) =>
      !disk.readonly && selects({ disk: diskObject(disk), system_disk: isSystemDisk(contentOf(disk.slot)) }),
  );
}

/** The system disk is the one with META. */
export function isSystemDisk(content: VolumeContent): boolean {
  return (
    content.system !== undefined || (content.partitions ?? []).some((partition) => partition.label === 'META')
  );
}

function hasWholeDiskFilesystem(content: VolumeContent): boolean {
  return (content.partitions ?? []).some((partition) => partition.label === WHOLE_DISK);
}

function freeSpace(content: VolumeContent, diskSize: number): number {
  const used = (content.partitions ?? []).reduce((sum, partition) => sum + partition.size, TABLE);
  return Math.max(0, Math.floor((diskSize - used) / MIB) * MIB);
}

/** Only the last partition has room behind it; less than 1 MiB is left alone. */
function grown(
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

function resolveMaxSize(maxSize: MaxSize, available: number): number {
  if ('bytes' in maxSize) return maxSize.bytes;
  if ('percent' in maxSize) return Math.floor((available * maxSize.percent) / 100);
  if (maxSize.leave >= available) throw new Error('error resolving max size: not enough space to leave free');
  return available - maxSize.leave;
}

/** A new partition holds nothing of what was there: data is known by when and by whom it was begun. */
function addPartition(content: VolumeContent, partition: Partition, stamp: string): VolumeContent {
  const made = { ...content, partitions: [...(content.partitions ?? []), partition] };
  // STATE is written by its machine when it has a config.
  if (partition.label === 'STATE') return made;
  return writePartitionData(made, partition.label || WHOLE_DISK_DATA, { begun: stamp });
}

function replacePartition(content: VolumeContent, partition: Partition): VolumeContent {
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
