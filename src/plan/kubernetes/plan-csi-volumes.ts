/** Volumes that the CSI driver attaches: allocated once, grown, never removed by a plan. */
import type { CsiVolumeDesign, Design } from '../../design/design.js';
import { bytes, formatSize, MIB } from '../../model/size.js';
import type { Observed, ObservedVm, ObservedVolume } from '../../observe/observed.js';
import type { PlanContext } from '../input.js';
import { vmView } from '../vms/view-of-vm.js';

/** Storages round sizes up: ZFS to whole MiB, thin LVM to extents of 4 MiB. */
const ROUNDING = 4 * MIB;

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
    if (there.size < volume.size) planGrowth({ observed, list, notes }, volume, there);
    if (there.size - volume.size >= ROUNDING) {
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

/** Through the VM that uses it, running or not; Proxmox has no other way to resize a volume. */
function planGrowth(
  { observed, list, notes }: Pick<PlanContext, 'observed' | 'list' | 'notes'>,
  volume: CsiVolumeDesign,
  there: ObservedVolume,
): void {
  const user = userOfVolume(observed, there.volid);
  const sizes = `${formatSize(bytes(there.size))} → ${formatSize(volume.size)}`;
  if (!user) {
    const claims = observed.kubernetes?.claims;
    const claimed = claims?.known && claims.value.some((claim) => claim.volume === volume.name);
    // The driver's resizer does it for a claim that asks; without one it is for the next run.
    const next = claimed ? 'it grows when a pod uses it next' : 'run apply when a pod uses it';
    notes.push({
      code: 'advice',
      message: `volume ${volume.name} (${sizes}) is attached to no VM and cannot grow now; ${next}`,
    });
    return;
  }
  list.add(volume.name, {
    kind: 'grow-csi-volume',
    title: `grow volume ${volume.name} to ${formatSize(volume.size)}`,
    reasons: [sizes],
    impact: 'live',
    load: { host: user.host, storage: volume.storage },
    vmid: user.vmid,
    host: user.host,
    volid: there.volid,
    size: volume.size,
  });
}

export function userOfVolume(observed: Pick<Observed, 'vms'>, volid: string): ObservedVm | undefined {
  return Object.values(observed.vms).find((vm) => vmView(vm)?.drives.some((drive) => drive.file === volid));
}

/** Bytes that each volume has after this plan, where they are not those of the file. */
export function csiSizes(
  design: Design,
  observed: Pick<Observed, 'vms' | 'volumes'>,
): Record<string, number> {
  return Object.fromEntries(
    design.csiVolumes.flatMap((volume): [string, number][] => {
      const listed = observed.volumes[`${volume.host}/${volume.storage}`];
      const there = listed?.known ? findCsiVolume(listed.value, volume) : undefined;
      if (!there || there.size >= volume.size || userOfVolume(observed, there.volid)) return [];
      return [[volume.name, there.size]];
    }),
  );
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
