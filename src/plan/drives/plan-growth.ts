/**
 * Volumes that are smaller than their disks. The guest sees a larger disk at once; partition and file system grow when
 * Talos locates the volume, and that is at boot alone (volumes/grow.go and format.go in controllers/block of Talos).
 */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { wwidOf } from '../../model/identity.js';
import { once } from '../../model/memoize.js';
import { type Bytes, bytes, formatSize, MIB } from '../../model/size.js';
import type { MachineVolume } from '../../observe/observed-machines.js';
import { machineUuid } from '../facts/renamed-nodes.js';
import type { DesiredMachines, PlanContext } from '../input.js';
import { isDisruptive } from '../plan.js';
import { drafted, type Planned } from '../planned.js';
import type { Step } from '../steps.js';
import type { GrowingVolume } from './growing-volume.js';

/** Partition tables, alignment, and growth that Talos itself finds too small to bother. */
const SLACK = 32 * MIB;
/** Before EPHEMERAL on a system disk: 4,247 MiB in the image of 1.14, less in those before. */
const SYSTEM_PARTITIONS = 4_352 * MIB;

/** One boot for all volumes of a node, and none of its own where the node boots anyway. */
export function planGrowth(
  given: PlanContext,
  nodes: readonly NodeDesign[],
  machines: DesiredMachines,
): Planned {
  return drafted(given, (context) => {
    const { list } = context;
    for (const node of nodes) {
      const growing = growingVolumes(context, node, machines);
      const configHash = configAtBoot(context, node);
      if (growing.length === 0 || configHash === undefined) continue;
      const own = list.steps.filter((step) => step.node === node.name);
      const grows = own.filter((step) => step.kind === 'grow-drive').map((step) => step.id);
      const boots = own.filter((step) => bootsNode(step)).map((step) => step.id);
      const common = { node: node.name, ip: node.ip, growing };
      if (boots.length > 0) {
        for (const grow of grows) list.addNeeds(boots, grow);
        list.add(node.name, {
          ...common,
          kind: 'await-growth',
          title: `wait until ${names(growing)} of ${node.name} ${growing.length === 1 ? 'has' : 'have'} grown`,
          reasons: ['file systems grow at boot'],
          impact: 'none',
          needs: boots,
        });
        continue;
      }
      list.add(node.name, {
        ...common,
        kind: 'reboot-machine',
        title: `reboot ${node.name}`,
        reasons: growing.map((volume) => reason(node, volume)),
        impact: 'restart',
        needs: [...grows, ...own.filter((step) => step.kind === 'change-config').map((step) => step.id)],
        ...machineUuid(node),
        vmid: node.talosVm.vmid,
        role: node.role,
        configHash,
      });
    }
  });
}

/** The one the machine has, or is given by this plan. */
function configAtBoot({ list, observed }: PlanContext, { name }: NodeDesign): string | undefined {
  const change = list.steps.find((step) => step.kind === 'change-config' && step.node === name);
  if (change?.kind === 'change-config') return change.configHash;
  const details = observed.machines[name]?.details;
  return details?.known && details.value.config.known ? details.value.config.value.hash : undefined;
}

function reason({ drives }: NodeDesign, { name, from }: GrowingVolume): string {
  const size = drives.find((drive) => drive.name === name)?.size ?? bytes(0);
  const now = from === undefined ? '' : ` from about ${formatSize(rounded(from))}`;
  return `the file system of ${name} grows at boot${now} to ${formatSize(size)}`;
}

/** Without what tables take, so that a disk of 2 GiB reads as one. */
function rounded(size: number): Bytes {
  return bytes(Math.round(size / (64 * MIB)) * 64 * MIB);
}

function names(growing: readonly GrowingVolume[]): string {
  return growing.map((volume) => volume.name).join(', ');
}

function growingVolumes(
  { list, observed }: PlanContext,
  node: NodeDesign,
  machines: DesiredMachines,
): GrowingVolume[] {
  const machine = observed.machines[node.name];
  const details = machine?.details.known ? machine.details.value : undefined;
  if (!details) return [];
  const grows = once(() => growingIds(machines.configs[node.name]?.redacted ?? '[]'));
  return node.drives.flatMap((drive) => {
    const enlarged = list.steps.some((step) => step.kind === 'grow-drive' && step.wwn === drive.wwn);
    return details.volumes
      .filter((volume) => volume.wwid === wwidOf(drive.wwn) && (enlarged || lacks(volume, drive)))
      .filter((volume) => grows().has(volume.id))
      .map(({ id, size }) => ({
        id,
        name: drive.name,
        ...(size !== undefined && { from: size }),
        atLeast: leastSize(drive),
      }));
  });
}

function lacks({ phase, size }: MachineVolume, drive: DriveDesign): boolean {
  return phase === 'ready' && size !== undefined && size < leastSize(drive);
}

function leastSize({ kind, size }: DriveDesign): number {
  return Math.max(0, size - SLACK - (kind === 'system' ? SYSTEM_PARTITIONS : 0));
}

/** Ids of the volumes that a config lets take all of their disk. One with a limit of its own keeps to that. */
function growingIds(redacted: string): ReadonlySet<string> {
  const documents: unknown = JSON.parse(redacted);
  const ids = (Array.isArray(documents) ? documents : []).flatMap((document: unknown) => {
    const { kind, name, volumeType, provisioning } = fieldsOf(document);
    const { grow, maxSize } = fieldsOf(provisioning);
    if (maxSize !== undefined) return [];
    if (kind === 'VolumeConfig' && grow === true) return [String(name)];
    if (kind === 'UserVolumeConfig' && (volumeType === 'disk' || grow === true)) return [`u-${String(name)}`];
    return [];
  });
  return new Set(ids);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A stop is followed by a start, which is what counts; another network needs no boot. */
function bootsNode({ kind, impact }: Step): boolean {
  if (kind === 'start-vm') return true;
  return isDisruptive(impact) && impact !== 'component' && kind !== 'stop-vm';
}
