/** Volumes: what each type can do on the nodes it is for. */
import { bytes, formatSize, GIB, MIB } from '../../model/size.js';
import { formatVersion } from '../../model/version.js';
import type { NodeConfig } from '../config.js';
import type { DiskVolume, PartitionVolume, VolumeConfig } from '../volume-config.js';
import { type Check, type CheckInput, hasExtension } from './check.js';

type OnDisk = DiskVolume | PartitionVolume;

export function isFor(volume: Exclude<VolumeConfig, { type: 'proxmox-csi' }>, node: NodeConfig): boolean {
  return volume.on === 'all' || volume.on === node.role;
}

/** Volumes that are a drive of their own. */
export function isDrive(volume: VolumeConfig): volume is OnDisk {
  return volume.type === 'disk' || (volume.type === 'partition' && volume.place === 'disk');
}

export const volumeTargets: Check = {
  needs: ['nodes'],
  run({ config, report }) {
    for (const volume of config.volumes) {
      if (volume.type === 'proxmox-csi') continue;
      const path = ['volumes', volume.name];
      const nodes = config.nodes.filter((node) => isFor(volume, node));
      if (nodes.length === 0) {
        report.warning({
          code: 'volume.nowhere',
          path,
          message: `no node is \`${volume.on}\`, so \`${volume.name}\` is nowhere`,
          hint: 'write `on: all`, `on: controlplane` or `on: worker`',
          at: 'key',
        });
      }
      const single = nodes.find((node) => node.layout === 'single');
      if (single && isDrive(volume)) {
        report.error({
          code: 'volume.layout',
          path: [...path, 'type'],
          message: `\`${volume.name}\` needs a disk of its own, which \`${single.name}\` with the layout \`single\` has not`,
          hint: 'use the layout `data-vm`, or a `directory` volume',
        });
      }
    }
  },
};

/** Below this Talos cannot make its file systems. */
const LEAST_EPHEMERAL = 2 * GIB;
/** XFS refuses less. */
const LEAST_VOLUME = 300 * MIB;

export const volumeSizes: Check = {
  needs: [],
  run({ config, file, report }) {
    for (const volume of config.volumes) {
      const path = ['volumes', volume.name, 'size'];
      if (volume.type === 'directory') {
        const entry = file.volumes?.[volume.name];
        if (entry?.type === 'directory' && entry.size !== undefined) {
          report.warning({
            code: 'volume.directory-size',
            path,
            message: `the size of \`${volume.name}\` is not enforced: a directory shares EPHEMERAL`,
            hint: 'remove `size`, or use the type `disk` or `partition`',
          });
        }
        continue;
      }
      if (volume.size % MIB !== 0 || volume.size === 0) {
        report.error({
          code: 'volume.size',
          path,
          message: `${formatSize(volume.size)} is not a whole number of MiB`,
          hint: `write \`${Math.max(1, Math.ceil(volume.size / MIB))}MiB\``,
        });
      } else if (volume.type !== 'proxmox-csi' && volume.size < LEAST_VOLUME) {
        report.error({
          code: 'volume.size',
          path,
          message: `${formatSize(volume.size)} is too small for a file system`,
          hint: 'give it 300MiB at least',
        });
      }
    }
  },
};

export const partitions: Check = {
  needs: ['volumes'],
  run({ config, file, report }) {
    const onEphemeral = config.volumes.filter(
      (volume) => volume.type === 'partition' && volume.place === 'ephemeral',
    );
    for (const volume of onEphemeral) {
      const entry = file.volumes?.[volume.name];
      for (const key of ['storage', 'backup', 'was'] as const) {
        if (entry?.type !== 'partition' || entry[key] === undefined) continue;
        report.error({
          code: 'volume.partition',
          path: ['volumes', volume.name, key],
          message: `a partition on the EPHEMERAL disk has no \`${key}\` of its own`,
          hint: 'remove it, or write `place: disk`',
          at: 'key',
        });
      }
    }
    const biggest = new Map<string, NodeConfig>();
    for (const node of config.nodes) {
      const least = biggest.get(node.role);
      if (!least || node.vm.disk < least.vm.disk) biggest.set(node.role, node);
    }
    for (const node of biggest.values()) {
      let room = node.vm.disk - LEAST_EPHEMERAL;
      for (const volume of onEphemeral) {
        if (volume.type !== 'partition' || !isFor(volume, node)) continue;
        room -= volume.size;
        if (room >= 0) continue;
        report.error({
          code: 'volume.partition',
          path: ['volumes', volume.name, 'size'],
          message: `\`${volume.name}\` does not fit: the disk of \`${node.name}\` has ${formatSize(node.vm.disk)}, and EPHEMERAL keeps ${formatSize(bytes(LEAST_EPHEMERAL))}`,
          hint: 'increase `disk` of the node, or write `place: disk`',
        });
        break;
      }
    }
  },
};

/** A renamed volume keeps its disk: each old name is meant by one volume only. */
export const renames: Check = {
  needs: ['volumes'],
  run({ config, report }: CheckInput) {
    const byName = new Map(config.volumes.filter(isDrive).map((volume) => [volume.name, volume]));
    const meantBy = new Map<string, string>();
    for (const volume of byName.values()) {
      if (volume.was === undefined) continue;
      const path = ['volumes', volume.name, 'was'];
      if (runsInCircle(volume, byName)) {
        report.error({
          code: 'volume.was',
          path,
          message: `the renames of \`${volume.name}\` run in a circle`,
          hint: 'a volume was called something that no other is called now',
        });
        continue;
      }
      const other = meantBy.get(volume.was);
      const still = byName.get(volume.was);
      if (other !== undefined) {
        report.error({
          code: 'volume.was',
          path,
          message: `\`${other}\` and \`${volume.name}\` both were \`${volume.was}\``,
          hint: 'one disk can go to one of them only',
        });
      } else if (still && still.was === undefined) {
        report.error({
          code: 'volume.was',
          path,
          message: `\`${volume.was}\` is still there, so \`${volume.name}\` cannot have its disk`,
          hint: `remove \`was\`, or the volume \`${volume.was}\``,
        });
      }
      meantBy.set(volume.was, volume.name);
    }
  },
};

function runsInCircle(start: OnDisk, byName: ReadonlyMap<string, OnDisk>): boolean {
  const seen = new Set<string>();
  for (let at: OnDisk | undefined = start; at?.was !== undefined; at = byName.get(at.was)) {
    if (seen.has(at.name)) return true;
    seen.add(at.name);
  }
  return false;
}

const BTRFS = /(^|\/)btrfs$/;

/** Talos has the kernel module of btrfs in an extension, and takes it for volumes from 1.14 on. */
export const fileSystems: Check = {
  needs: ['talos.version', 'talos.schematic'],
  run({ config, report }) {
    for (const volume of config.volumes) {
      if (!('filesystem' in volume) || volume.filesystem !== 'btrfs') continue;
      const nodes = config.nodes.filter((node) => isFor(volume, node));
      const old = nodes.find(({ talosVersion }) => talosVersion.major === 1 && talosVersion.minor < 14);
      const without = nodes.find(({ schematic }) => !hasExtension(schematic, BTRFS));
      if (!old && !without) continue;
      report.error({
        code: 'volume.filesystem',
        path: ['volumes', volume.name, 'filesystem'],
        message: old
          ? `Talos ${formatVersion(old.talosVersion)} on \`${old.name}\` has no btrfs volumes; 1.14 does, with an extension`
          : `the schematic of \`${without?.name}\` has no btrfs extension`,
        hint: old
          ? 'write `xfs` or `ext4`'
          : 'add `siderolabs/btrfs` to its extensions, or write `xfs` or `ext4`',
      });
    }
  },
};
