/** Volumes that the CSI driver attaches: allocated once, grown, never removed by a plan. */
import type { CsiVolumeDesign } from '../design/design.js';
import { bytes, formatSize } from '../model/size.js';
import type { ObservedVolume } from '../observe/observed.js';
import type { PlanContext } from './input.js';

export function planCsiVolumes(context: PlanContext): void {
  for (const volume of [...context.design.csiVolumes].sort((a, b) => a.name.localeCompare(b.name, 'en')))
    planOne(context, volume);
}

function planOne({ observed, list, problems, notes }: PlanContext, volume: CsiVolumeDesign): void {
  const place = `${volume.host}/${volume.storage}`;
  const listed = observed.volumes[place];
  if (!observed.storages[place]) {
    problems.push({
      code: 'storage-unknown',
      scope: 'plan',
      message: `volume ${volume.name}: there is no storage ${volume.storage} on ${volume.host}`,
      advice: 'name a host and a storage that are there',
    });
    return;
  }
  if (!listed?.known) {
    notes.push({
      code: 'unknown',
      message: `volume ${volume.name}: the content of ${volume.storage} on ${volume.host} could not be read`,
    });
    return;
  }
  const there = findCsiVolume(listed.value, volume);
  if (there) {
    if (there.size > volume.size) {
      problems.push({
        code: 'shrink',
        scope: 'plan',
        message: `volume ${volume.name} is ${formatSize(bytes(there.size))}; the file says ${formatSize(volume.size)}, and a disk cannot shrink`,
        advice: `write ${formatSize(bytes(there.size))}`,
      });
    }
    return;
  }
  list.add(volume.volumeName, {
    kind: 'create-csi-volume',
    title: `make volume ${volume.volumeName} (${formatSize(volume.size)}) on ${volume.storage} of ${volume.host}`,
    reasons: ['it is not there'],
    impact: 'none',
    load: { host: volume.host, storage: volume.storage },
    host: volume.host,
    storage: volume.storage,
    vmid: volume.vmid,
    volumeName: volume.volumeName,
    format: volume.format,
    size: volume.size,
  });
}

/** Block storages use the bare name, file storages `9999/vm-9999-name.raw`. */
export function findCsiVolume(
  volumes: Readonly<Record<string, ObservedVolume>>,
  volume: CsiVolumeDesign,
): ObservedVolume | undefined {
  const { storage, volumeName, vmid } = volume;
  return (
    volumes[`${storage}:${volumeName}`] ??
    volumes[`${storage}:${vmid}/${volumeName}.raw`] ??
    volumes[`${storage}:${vmid}/${volumeName}.qcow2`]
  );
}
