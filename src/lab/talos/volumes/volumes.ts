import type { VolumeContent } from '../../lab.js';
import type { Hardware, Hypervisor } from '../hypervisors/hypervisor.js';
import type { VolumeState } from '../machine/machine-record.js';
import { DISK_ENVIRONMENT } from '../selectors/environment.js';
import { compileSelector } from '../selectors/evaluate.js';
import { type DiskView, diskObject, viewDisks } from './disks.js';
import {
  addPartition,
  freeSpace,
  grown,
  hasWholeDiskFilesystem,
  isSystemDisk,
  type Partition,
  replacePartition,
  resolveMaxSize,
  WHOLE_DISK,
} from './partitions.js';
import { formatted, VolumeFailure } from './volume-format.js';
import type { VolumeSpec } from './volume-spec.js';

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
      ? bringUpDisk(hypervisor, vmid, spec, hardware, disks, contentOf, systemDone, stamp)
      : bringUpPartition(hypervisor, vmid, spec, hardware, disks, contentOf, systemDone, stamp);
  } catch (error) {
    return {
      id: spec.id,
      type: spec.kind,
      phase: 'failed',
      error: error instanceof Error ? error.message : String(error),
      ...(error instanceof VolumeFailure ? { preFailPhase: error.preFailPhase } : {}),
    };
  }
}

function bringUpPartition(
  hypervisor: Hypervisor,
  vmid: number,
  spec: VolumeSpec & { kind: 'partition' },
  hardware: Hardware,
  disks: readonly DiskView[],
  contentOf: (slot: string) => VolumeContent,
  systemDone: boolean,
  stamp: string,
): VolumeState {
  for (const disk of disks) {
    const found = (contentOf(disk.slot).partitions ?? []).find((partition) => partition.label === spec.label);
    if (!found) continue;
    const size = spec.grow ? grown(contentOf(disk.slot), found, disk.size, spec.maxSize) : found.size;
    const { partition: written, ...encryption } = formatted({ ...found, size }, spec, hardware);
    if (JSON.stringify(written) !== JSON.stringify(found)) {
      hypervisor.write(vmid, disk.slot, (content) => replacePartition(content, written));
    }
    return readyState(spec, disk.slot, spec.label, written.size, encryption);
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
    const { partition: made, ...encryption } = formatted({ label: spec.label, size }, spec, hardware);
    hypervisor.write(vmid, disk.slot, (old) => addPartition(old, made, stamp));
    return readyState(spec, disk.slot, spec.label, size, encryption);
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
  hardware: Hardware,
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
  const table: Partial<Partition> = existing.length > 0 && !whole ? { filesystem: 'gpt' } : {};
  // The disk's own size is the volume's: a file system on a whole disk grows with it when it is brought up.
  const all = { ...table, ...whole, label: WHOLE_DISK, size: disk.size };
  const { partition: made, ...encryption } = formatted(all, spec, hardware);
  if (!whole) hypervisor.write(vmid, disk.slot, (old) => addPartition(old, made, stamp));
  else if (JSON.stringify(whole) !== JSON.stringify(made))
    hypervisor.write(vmid, disk.slot, (old) => replacePartition(old, made));
  return readyState(spec, disk.slot, WHOLE_DISK, disk.size, encryption);
}

function readyState(
  spec: VolumeSpec & { filesystem: string },
  slot: string,
  label: string,
  size: number,
  encryption: Pick<VolumeState, 'encryption'>,
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
    ...encryption,
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
