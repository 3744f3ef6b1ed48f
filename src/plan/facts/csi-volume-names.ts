/**
 * Which disk a CSI volume is. A new one has a name that says whose it is. One that is there keeps the name it was made
 * with, and version 0.1.0 gave names that two clusters could share: such a disk is ours where the PersistentVolume of
 * our cluster names it, or one of our VMs uses it. Nothing else is taken.
 */

import type { CsiVolumeDesign, Design } from '../../design/design.js';
import { csiVolumeName, legacyCsiVolumeName } from '../../formats/marks/cluster-names.js';
import type { Observed, ObservedVolume } from '../../observe/observed.js';
import type { Found } from '../../observe/observed-lists.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { findVolume } from '../../observe/observed-volumes.js';
import { vmView } from './view-of-vm.js';

/** The design with the names of the disks that are there. The same object where all names are new ones. */
export function withFoundVolumes(
  design: Design,
  observed: Pick<Observed, 'vms' | 'volumes' | 'kubernetes'>,
): Design {
  const csiVolumes = design.csiVolumes.map((volume) => {
    const name = handledName(volume, observed) ?? usedName(design, volume, observed);
    return name === undefined || name === volume.volumeName ? volume : { ...volume, volumeName: name };
  });
  const changed = csiVolumes.some((volume, index) => volume !== design.csiVolumes[index]);
  return changed ? { ...design, csiVolumes } : design;
}

/** `region/zone/storage/disk`: it never changes while the PersistentVolume is there. */
function handledName(
  { name, storage }: CsiVolumeDesign,
  { kubernetes }: Pick<Observed, 'kubernetes'>,
): string | undefined {
  if (!kubernetes?.volumes.known) return undefined;
  const handle = kubernetes.volumes.value.find((volume) => volume.name === name)?.handle ?? '';
  const [, , at, ...disk] = handle.split('/');
  if (at !== storage) return undefined;
  return /^vm-\d+-.+$/.exec((disk.at(-1) ?? '').replace(/\.(raw|qcow2)$/, ''))?.[0];
}

function usedName(
  design: Design,
  volume: CsiVolumeDesign,
  observed: Pick<Observed, 'vms' | 'volumes'>,
): string | undefined {
  if (findCsiVolume(observed, volume).state !== 'absent') return undefined;
  const legacy = legacyVolumeOf(design, volume, observed);
  if (!legacy) return undefined;
  const used = visibleVms(observed).some((vm) =>
    vmView(vm)?.references.some((reference) => reference.volid === legacy.volid),
  );
  return used ? legacyName(design, volume) : undefined;
}

/** The disk with the name that version 0.1.0 would have given; whose it is the name does not say. */
export function legacyVolumeOf(
  design: Design,
  volume: CsiVolumeDesign,
  observed: Pick<Observed, 'volumes'>,
): ObservedVolume | undefined {
  return visibleCsiVolume(observed, { ...volume, volumeName: legacyName(design, volume) });
}

function legacyName({ cluster }: Design, { vmid, name }: CsiVolumeDesign): string {
  return legacyCsiVolumeName(cluster, vmid, name);
}

/** Whether the name itself says that the disk is this cluster's. */
export function namesItsCluster({ cluster }: Design, { vmid, name, volumeName }: CsiVolumeDesign): boolean {
  return volumeName === csiVolumeName(cluster, vmid, name);
}

/** Block storages use the bare name, file storages `9999/vm-9999-name.raw`. */
export function findCsiVolume(
  { volumes }: Pick<Observed, 'volumes'>,
  { host, storage, volumeName, vmid }: CsiVolumeDesign,
): Found<ObservedVolume> {
  const names = [volumeName, `${vmid}/${volumeName}.raw`, `${vmid}/${volumeName}.qcow2`];
  const answers = names.map((name) => findVolume(volumes, host, `${storage}:${name}`));
  return (
    answers.find(({ state }) => state === 'present') ??
    answers.find(({ state }) => state === 'unread') ?? { state: 'absent' }
  );
}

/** `undefined` proves nothing. For showing, and for steps that need a volume that is there. */
export function visibleCsiVolume(
  observed: Pick<Observed, 'volumes'>,
  volume: CsiVolumeDesign,
): ObservedVolume | undefined {
  const found = findCsiVolume(observed, volume);
  return found.state === 'present' ? found.value : undefined;
}
