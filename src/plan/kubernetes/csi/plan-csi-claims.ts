/** Claims that have less than oxherd.yaml gives their volumes. The kubelet grows a file system when its claim asks for it. */
import type { CsiVolumeDesign } from '../../../design/design.js';
import { refText } from '../../../design/kubernetes/managed-object.js';
import { formatSize } from '../../../model/size.js';
import type { KubeClaim } from '../../../observe/observed-kubernetes.js';
import type { Planned } from '../../planned.js';
import { type KubernetesDraft, type KubernetesPlan, part, readPart } from '../kubernetes-part.js';
import { csiSizes } from './plan-csi-volumes.js';

export function planClaims(given: KubernetesPlan): Planned {
  return part(given, growClaims);
}

function growClaims(plan: KubernetesDraft): void {
  const { context, there } = plan;
  if (!there || context.design.csiVolumes.length === 0) return;
  const claims = readPart(context, 'the claims of CSI volumes', there.claims);
  const { sizes, unreadVolumes } = csiSizes(context.design, context.observed);
  for (const claim of claims ?? []) {
    const volume = context.design.csiVolumes.find((candidate) => candidate.name === claim.volume);
    if (!volume || claim.capacity === undefined || claim.capacity >= volume.size) continue;
    // Whether its disk has grown is not known, and the note on the volume says why.
    if (unreadVolumes[volume.name] !== undefined) continue;
    const size = sizes[volume.name];
    if (size === undefined || size >= volume.size) planWithDisk(plan, claim, volume);
    else if ((claim.request ?? 0) < volume.size) planForLater(plan, claim, volume);
  }
}

/** The disk is grown by this plan, the volume says so, then the claim may ask. */
function planWithDisk({ context, design }: KubernetesDraft, claim: KubeClaim, volume: CsiVolumeDesign): void {
  const grows = context.list.idOf('grow-csi-volume', volume.name);
  // The disk may have grown in a run that was cut off before the claim asked; one that has asked is the driver's business.
  if (grows === undefined && (claim.request ?? 0) >= volume.size) return;
  const object = design.objects.find(
    ({ ref }) => ref.kind === 'PersistentVolume' && ref.name === volume.name,
  );
  const says = object && context.list.idOf('apply-object', refText(object.ref));
  addStep(
    context,
    claim,
    volume,
    [grows, says],
    ['the file system grows with the claim; raise it in its manifest too'],
  );
}

/** No one uses the volume, and Proxmox resizes a disk through a VM only: the driver does it at the next use. */
function planForLater({ context, api }: KubernetesDraft, claim: KubeClaim, volume: CsiVolumeDesign): void {
  addStep(
    context,
    claim,
    volume,
    [api],
    [
      'no VM uses the volume now; the driver grows it when a pod uses it next',
      'raise it in its manifest too',
    ],
  );
}

function addStep(
  { list }: KubernetesDraft['context'],
  { namespace, name }: KubeClaim,
  { size, name: volume }: CsiVolumeDesign,
  needs: readonly (string | undefined)[],
  reasons: readonly string[],
): void {
  list.add(`${namespace}/${name}`, {
    kind: 'grow-claim',
    title: `resize claim ${namespace}/${name} to ${formatSize(size)}, its volume's new size`,
    reasons,
    impact: 'live',
    needs,
    namespace,
    name,
    volume,
    size,
  });
}
