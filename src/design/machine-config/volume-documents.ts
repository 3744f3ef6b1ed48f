/** EPHEMERAL and user volumes, each with a selector that matches exactly one disk: by its WWID. */

import type { PartitionVolume, VolumeConfig } from '../../config/volume-config.js';
import type { Mapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { wwidOf } from '../../model/identity.js';
import { type Bytes, bytes, formatSize, GIB, MIB } from '../../model/size.js';
import type { DriveDesign } from '../design.js';
import { drive, type NodeContext, systemDrive } from './context.js';
import { stateEncryption, volumeEncryption } from './encryption.js';
import { ephemeralMount } from './generation.js';

/** What Talos' own partitions take of a system disk: 4,247 MiB in the image of 1.14, and some air. */
const SYSTEM_PARTITIONS = 4352 * MIB;
/** Partition tables and alignment. */
const PARTITION_SLACK = 32 * MIB;
/** Below this Talos makes no EPHEMERAL. */
const EPHEMERAL_MINIMUM = 2 * GIB;

export function volumeDocuments(context: NodeContext): Mapping[] {
  const { config, node } = context;
  const volumes = config.volumes.filter(isUserVolume).filter(({ on }) => on === 'all' || on === node.role);
  return [
    ...stateEncryption(context),
    ephemeral(context, volumes.filter(isOnEphemeral)),
    ...volumes.map((volume) => userVolume(context, volume)),
  ];
}

function ephemeral(context: NodeContext, partitions: readonly PartitionVolume[]): Mapping {
  const place = ephemeralDrive(context);
  return {
    apiVersion: 'v1alpha1',
    kind: 'VolumeConfig',
    name: 'EPHEMERAL',
    provisioning: {
      diskSelector: { match: selector(place) },
      // Without a limit EPHEMERAL takes the whole disk before any user volume is made.
      ...(partitions.length === 0
        ? { grow: true }
        : { maxSize: sizeText(ephemeralSize(context, place, partitions)), grow: false }),
    },
    ...ephemeralMount(context.config),
    ...volumeEncryption(context),
  };
}

function ephemeralSize(
  { node }: NodeContext,
  place: DriveDesign,
  partitions: readonly PartitionVolume[],
): Bytes {
  const taken = partitions.reduce((sum, volume) => sum + volume.size, 0);
  const system = place.kind === 'system' ? SYSTEM_PARTITIONS : 0;
  const left = place.size - system - taken - PARTITION_SLACK;
  if (left < EPHEMERAL_MINIMUM) {
    throw new OxherdError(
      'design.ephemeral-full',
      `${node.name}: ${partitions.map((volume) => volume.name).join(', ')} leave less than ${formatSize(bytes(EPHEMERAL_MINIMUM))} of the disk to EPHEMERAL`,
      {
        where: node.name,
        advice: 'Make the disk larger, or give the volumes a disk of their own (place: disk).',
      },
    );
  }
  return bytes(Math.floor(left / MIB) * MIB);
}

function userVolume(context: NodeContext, volume: Exclude<VolumeConfig, { type: 'proxmox-csi' }>): Mapping {
  const head = {
    apiVersion: 'v1alpha1',
    kind: 'UserVolumeConfig',
    name: volume.name,
    volumeType: volume.type,
  };
  if (volume.type === 'directory') return head;
  const filesystem = { type: volume.filesystem };
  if (volume.type === 'partition' && volume.place === 'ephemeral') {
    const diskSelector = { match: selector(ephemeralDrive(context)) };
    const size = sizeText(volume.size);
    return { ...head, provisioning: { diskSelector, minSize: size, maxSize: size, grow: false }, filesystem };
  }
  const own = drive(context.nodeDesign, 'volume', volume.name);
  if (!own) {
    throw new OxherdError(
      'design.no-drive',
      `${context.node.name} has no disk for the volume ${volume.name}`,
      {
        where: context.node.name,
        advice:
          'With the layout `single` there is one disk: use a directory, or a partition with place: ephemeral.',
      },
    );
  }
  const diskSelector = { match: selector(own) };
  // A volume of type disk takes the whole disk by itself; a partition is told to, whatever the size becomes.
  const provisioning =
    volume.type === 'disk'
      ? { diskSelector }
      : { diskSelector, minSize: sizeText(minimumOf(volume.size)), grow: true };
  return { ...head, provisioning, filesystem };
}

/** Talos wants a minimum. It stays the same when the disk grows, so that growing changes no config. */
function minimumOf(size: Bytes): Bytes {
  return bytes(Math.min(512 * MIB, Math.floor(size / 2)));
}

/** The CSI driver's volumes are none of Talos' business. */
type UserVolume = Exclude<VolumeConfig, { type: 'proxmox-csi' }>;

function isUserVolume(volume: VolumeConfig): volume is UserVolume {
  return volume.type !== 'proxmox-csi';
}

function isOnEphemeral(volume: VolumeConfig): volume is PartitionVolume {
  return volume.type === 'partition' && volume.place === 'ephemeral';
}

function ephemeralDrive({ nodeDesign }: NodeContext): DriveDesign {
  return drive(nodeDesign, 'ephemeral') ?? systemDrive(nodeDesign);
}

function selector({ wwn }: DriveDesign): string {
  return `disk.wwid == "${wwidOf(wwn)}"`;
}

/** `10GiB`, or bytes where no unit fits: both are read by Talos. */
function sizeText(size: Bytes): string {
  return formatSize(size);
}
