/** Volumes that the CSI driver attaches: allocated once, grown, never removed by a plan. */

import type { CsiVolumeDesign, Design } from '../../../design/design.js';
import { FILE_STORAGES } from '../../../design/kubernetes/persistent-volumes.js';
import { compareText } from '../../../model/natural-order.js';
import { bytes, formatSize, MIB } from '../../../model/size.js';
import type { Observed, ObservedStorage, ObservedVm, ObservedVolume } from '../../../observe/observed.js';
import { visibleIn } from '../../../observe/observed-lists.js';
import { visibleVms } from '../../../observe/observed-vms.js';
import { findCsiVolume, legacyVolumeOf, visibleCsiVolume } from '../../facts/csi-volume-names.js';
import { vmView } from '../../facts/view-of-vm.js';
import { hasVolume, volumeRemoval } from '../../facts/volume-removal.js';
import type { PlanContext } from '../../input.js';
import type { Problem } from '../../plan.js';
import { type Draft, drafted, type Planned } from '../../planned.js';

/** Storages round sizes up: ZFS to whole MiB, thin LVM to extents of 4 MiB. */
const ROUNDING = 4 * MIB;

export function planCsiVolumes(given: PlanContext): Planned {
  return drafted(given, (context) => {
    for (const volume of [...context.design.csiVolumes].sort((a, b) => compareText(a.name, b.name)))
      planOne(context, volume);
  });
}

function planOne(context: Draft, volume: CsiVolumeDesign): void {
  const { observed, list, problems, notes } = context;
  const place = `${volume.host}/${volume.storage}`;
  const found = findCsiVolume(observed, volume);
  if (!observed.storages[place]) {
    problems.push(
      observed.hosts[volume.host]
        ? {
            code: 'storage-unknown',
            scope: 'plan',
            message: `volume ${volume.name}: there is no storage ${volume.storage} on ${volume.host}`,
            advice: 'name a host and a storage that are there',
          }
        : hostGone(observed, volume),
    );
    return;
  }
  if (found.state === 'unread') {
    notes.push({
      code: 'unknown',
      message: `volume ${volume.name}: the content of ${volume.storage} on ${volume.host} could not be read: ${found.why}`,
    });
    return;
  }
  const wrong = formatProblem(volume, observed.storages[place]) ?? nameProblem(observed, volume);
  if (wrong) {
    problems.push(wrong);
    return;
  }
  if (found.state === 'present') {
    const there = found.value;
    if (there.size < volume.size) planGrowth({ observed, list, notes }, volume, there);
    if (there.size - volume.size >= ROUNDING) {
      // Grown through its claim: the cluster's own way, and nothing to undo.
      notes.push({
        code: 'drift',
        message: `volume ${volume.name} has grown to ${formatSize(bytes(there.size))}; oxherd.yaml says ${formatSize(volume.size)}. Set size: ${formatSize(bytes(there.size))} to match`,
      });
    }
    return;
  }
  if (waitsForOwner(context, volume)) return;
  list.add(volume.volumeName, {
    kind: 'create-csi-volume',
    title: `create volume ${volume.volumeName} (${formatSize(volume.size)}) on ${volume.storage} of ${volume.host}`,
    reasons: ['missing'],
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

/**
 * A disk with a name of version 0.1.0 that may be this volume's: while no one can say so, no other one is made in its
 * place, and a cluster that was never built has none.
 */
function waitsForOwner({ design, observed, problems, notes }: Draft, volume: CsiVolumeDesign): boolean {
  const legacy = legacyVolumeOf(design, volume, observed);
  if (!legacy) return false;
  const what = `volume ${volume.name}: ${legacy.volid} on ${volume.host} has the name that version 0.1.0 gave it`;
  if (visibleVms(observed).length === 0) {
    notes.push({
      code: 'left-alone',
      message: `${what}; it is left alone, since no VM of this cluster is there`,
    });
    return false;
  }
  if (!observed.kubernetes?.volumes.known) {
    notes.push({
      code: 'unknown',
      message: `${what}; whether it is this cluster's is known when Kubernetes answers, and nothing is created until then`,
    });
    return true;
  }
  problems.push({
    code: 'csi-volume-unclear',
    scope: 'plan',
    message: `${what}, but no PersistentVolume of this cluster names it: it may be another cluster's`,
    advice: `if it is this cluster's: oxherd volumes adopt ${volume.name} ${legacy.volid}; if not, rename the volume in oxherd.yaml`,
  });
  return true;
}

/** Volumes that this plan neither makes nor shows to Kubernetes. */
export function isUndecided({ design, observed }: PlanContext, name: string): boolean {
  const volume = design.csiVolumes.find((candidate) => candidate.name === name);
  if (!volume || findCsiVolume(observed, volume).state !== 'absent') return false;
  const built = visibleVms(observed).length > 0;
  return built && legacyVolumeOf(design, volume, observed) !== undefined;
}

/** Taken out of the Proxmox cluster, as after `host lost`: its disks do not come back, and the PersistentVolume names one. */
function hostGone(observed: Observed, { name, host }: CsiVolumeDesign): Problem {
  const removal = hasVolume(observed, name)
    ? `, stop what uses it and delete its PersistentVolume: ${volumeRemoval(observed, name)}; then run apply, which creates an empty disk`
    : '';
  return {
    code: 'storage-unknown',
    scope: 'plan',
    message: `volume ${name}: the Proxmox cluster has no host ${host}`,
    advice: `if ${host} is lost with its disks, write another host: for volumes.${name} in oxherd.yaml${removal}`,
  };
}

/** Blocks have no format; Proxmox would say so in a failed task. */
function formatProblem(volume: CsiVolumeDesign, storage: ObservedStorage | undefined): Problem | undefined {
  if (volume.format !== 'qcow2' || !storage || FILE_STORAGES.includes(storage.type)) return undefined;
  return {
    code: 'csi-format',
    scope: 'plan',
    message: `volume ${volume.name}: ${volume.storage} is a ${storage.type} storage and holds no qcow2 files`,
    advice: 'write format: raw, or name a storage that keeps files (dir, nfs, cifs, cephfs, btrfs)',
  };
}

/**
 * The driver takes the first SCSI drive whose line contains the name of the disk: another volume whose name goes on where
 * ours ends would be mounted, grown and detached in its place.
 */
function nameProblem(
  observed: Pick<Observed, 'storages' | 'volumes' | 'vms'>,
  volume: CsiVolumeDesign,
): Problem | undefined {
  const own = visibleCsiVolume(observed, volume);
  const disk = own ? diskOf(own.volid) : volume.volumeName;
  const other = attachableWith(observed, volume).find(
    (volid) => volid !== own?.volid && diskOf(volid).includes(disk),
  );
  if (other === undefined) return undefined;
  return {
    code: 'csi-name',
    scope: 'plan',
    message: `volume ${volume.name}: the CSI driver cannot tell ${disk} from ${other}, whose name contains it`,
    advice:
      'rename one of the two: create a volume under another name, copy the data, then remove the old one',
  };
}

/** Volumes that may be on one VM with this one: of whatever storage its host has, and of any host where it is shared. */
function attachableWith(
  observed: Pick<Observed, 'storages' | 'volumes' | 'vms'>,
  { host, storage }: CsiVolumeDesign,
): string[] {
  const { storages, volumes } = observed;
  const isNear = (at: string) => at === host || storages[`${host}/${storage}`]?.shared === true;
  const listed = Object.entries(volumes).flatMap(([place, content]) =>
    isNear(storages[place]?.host ?? '') ? visibleIn(content).map(({ volid }) => volid) : [],
  );
  const used = visibleVms(observed)
    .filter((vm) => isNear(vm.host))
    .flatMap((vm) => vmView(vm)?.drives.map(({ file }) => file) ?? []);
  return [...new Set([...listed, ...used])].sort();
}

function diskOf(volid: string): string {
  return volid.slice(volid.indexOf(':') + 1);
}

/** Through the VM that uses it, running or not; Proxmox has no other way to resize a volume. */
function planGrowth(
  { observed, list, notes }: Pick<Draft, 'observed' | 'list' | 'notes'>,
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
    volume: volume.name,
    vmid: user.vmid,
    host: user.host,
    volid: there.volid,
    size: volume.size,
  });
}

function userOfVolume(observed: Pick<Observed, 'vms'>, volid: string): ObservedVm | undefined {
  return visibleVms(observed).find((vm) => vmView(vm)?.drives.some((drive) => drive.file === volid));
}

interface CsiSizes {
  /** Bytes that a volume has after this plan, if they are not those of oxherd.yaml: it waits, or has grown by its claim. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Volumes whose disks could not be read, with the reason: nothing is concluded about their sizes. */
  readonly unreadVolumes: Readonly<Record<string, string>>;
}

export function csiSizes(design: Design, observed: Pick<Observed, 'vms' | 'volumes'>): CsiSizes {
  const sizes: Record<string, number> = {};
  const unreadVolumes: Record<string, string> = {};
  for (const volume of design.csiVolumes) {
    const found = findCsiVolume(observed, volume);
    if (found.state === 'unread') {
      unreadVolumes[volume.name] =
        `the volumes of ${volume.storage} on ${volume.host} could not be read: ${found.why}`;
    }
    if (found.state !== 'present') continue;
    const there = found.value;
    const grown = there.size - volume.size >= ROUNDING;
    const waits = there.size < volume.size && !userOfVolume(observed, there.volid);
    if (grown || waits) sizes[volume.name] = there.size;
  }
  return { sizes, unreadVolumes };
}
