/** The disks of a machine and what is on them, as Talos sees it: for a cluster that is taken over. */
import type { TalosClient } from '../../clients/talos/client.js';
import { RESOURCES } from '../../clients/talos/resources.js';
import { isMapping } from '../../formats/text/mapping.js';

export interface MachineDisk {
  /** `/dev/sda` */
  readonly device: string;
  readonly size: number;
  readonly busPath: string;
  readonly wwid?: string;
  /** Talos runs from it. */
  readonly system: boolean;
  /** Volumes of Talos and labels of partitions on it: `EPHEMERAL`, `u-data`. */
  readonly holds: readonly string[];
}

export async function readDisks(talos: Pick<TalosClient, 'list'>): Promise<MachineDisk[]> {
  const [disks, system, volumes, discovered] = await Promise.all([
    talos.list(RESOURCES.disks),
    talos.list(RESOURCES.systemDisk),
    talos.list(RESOURCES.volumeStatus),
    talos.list(RESOURCES.discoveredVolumes),
  ]);
  const systemDevices = system.map(({ spec }) => text(spec, 'devPath') || text(spec, 'dev_path'));
  const placed = volumes.map(({ id, spec }) => ({
    label: id,
    device: text(spec, 'parentLocation') || text(spec, 'location'),
  }));
  const labels = discovered.map(({ spec }) => ({
    label: text(spec, 'partition_label') || text(spec, 'label'),
    device: text(spec, 'parent_dev_path') || text(spec, 'dev_path'),
  }));
  return disks
    .filter(({ spec }) => isMapping(spec) && spec.cdrom !== true && spec.readonly !== true)
    .map(({ id, spec }): MachineDisk => {
      const device = text(spec, 'dev_path') || `/dev/${id}`;
      const wwid = text(spec, 'wwid');
      const here = [...placed, ...labels].filter((each) => each.device === device && each.label !== '');
      return {
        device,
        size: isMapping(spec) && typeof spec.size === 'number' ? spec.size : 0,
        busPath: text(spec, 'bus_path'),
        ...(wwid !== '' && { wwid }),
        system: systemDevices.includes(device),
        holds: [...new Set(here.map(({ label }) => label))].sort(),
      };
    });
}

function text(spec: unknown, key: string): string {
  const value = isMapping(spec) ? spec[key] : undefined;
  return typeof value === 'string' ? value : '';
}
