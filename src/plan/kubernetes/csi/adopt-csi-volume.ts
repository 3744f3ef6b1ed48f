/** Takes a disk that is there as a CSI volume of oxherd.yaml: because a person named it, and never by its name alone. */
import type { CsiVolumeDesign, Design } from '../../../design/design.js';
import type { KubernetesDesign } from '../../../design/kubernetes/kubernetes-design.js';
import { refText } from '../../../design/kubernetes/managed-object.js';
import { OxherdError } from '../../../model/error.js';
import type { Observed } from '../../../observe/observed.js';
import { visibleCsiVolume } from '../../facts/csi-volume-names.js';
import { makePlan } from '../../make-plan.js';
import type { Plan } from '../../plan.js';
import { StepList } from '../../step-list.js';

/** The design in which the volume is that disk. Throws where it cannot be. */
export function withAdoptedDisk(design: Design, observed: Observed, name: string, volid: string): Design {
  const volume = design.csiVolumes.find((candidate) => candidate.name === name);
  if (!volume)
    throw refused(`oxherd.yaml has no volume ${name} of type proxmox-csi`, 'see `oxherd volumes list`');
  const volumes = observed.kubernetes?.volumes;
  if (!volumes?.known) {
    throw refused(
      'no Kubernetes API server answers, and its PersistentVolume says which disk is whose',
      'run it again when the cluster is up',
    );
  }
  const bound = volumes.value.find((candidate) => candidate.handle?.endsWith(`/${diskOf(volid)}`));
  const there = volumes.value.find((candidate) => candidate.name === name);
  if (there)
    throw refused(
      `PersistentVolume ${name} is there and names ${there.handle ?? 'no disk'}`,
      'nothing is left to adopt',
    );
  if (bound) throw refused(`PersistentVolume ${bound.name} names ${volid} already`, 'name another disk');
  const adopted: CsiVolumeDesign = { ...volume, volumeName: diskOf(volid).replace(/\.(raw|qcow2)$/, '') };
  const found = visibleCsiVolume(observed, adopted);
  if (found?.volid !== volid || found.format !== volume.format) {
    throw refused(
      `${volid} is not a ${volume.format} volume of vmid ${volume.vmid} on ${volume.storage} of ${volume.host}, where oxherd.yaml has ${name}`,
      'name a disk that is there: pvesm list shows them',
    );
  }
  return {
    ...design,
    csiVolumes: design.csiVolumes.map((candidate) => (candidate === volume ? adopted : candidate)),
  };
}

/** One step: the PersistentVolume with that disk in its handle, which never changes again. */
export function planDiskAdoption(
  design: Design,
  observed: Observed,
  { objects }: KubernetesDesign,
  name: string,
  volid: string,
): Plan {
  const list = new StepList();
  for (const { ref, hash } of objects) {
    if (ref.kind !== 'PersistentVolume' || ref.name !== name) continue;
    list.add(refText(ref), {
      kind: 'apply-object',
      action: 'create',
      title: `create ${refText(ref)} for ${volid}`,
      reasons: ['requested by name'],
      impact: 'none',
      object: ref,
      hash,
    });
  }
  return makePlan(design, observed, list);
}

function diskOf(volid: string): string {
  return volid.replace(/^.*[:/]/, '');
}

function refused(message: string, advice: string): OxherdError {
  return new OxherdError('volumes.adopt', message, { advice });
}
