/**
 * What a volume on one of our VMs is to us. Only what oxherd made or adopted is ours: the hash of a name of this
 * cluster is on it. Tags, descriptions and volume names say nothing about that.
 */
import { talosVmidOf, type Vmid, type Wwn } from '../../model/identity.js';
import { MIB } from '../../model/size.js';
import { ownerOfVolume } from '../proxmox/drive-slots.js';
import type { VolumeReference } from '../proxmox/vm-config.js';
import { type ClusterIdentity, wwnOf } from './identities.js';

export type Claim =
  /** Installation media. */
  | 'image'
  /** `efidisk0` and the cloud-init drive on their slots: made by us, without data. */
  | 'made'
  /** The system disk of the node. With the layout `single` it holds all its data. */
  | 'system'
  /** A disk of the node that outlives its VMs; the TPM's state. */
  | 'kept'
  /** Belongs to the node's data VM or to the CSI driver: it goes with no VM that only uses it. */
  | 'lent'
  /** Whatever else there is. It is never deleted, and holds up what would delete it. */
  | 'foreign';

/** One of our VMs, and the names that its disks may have been made with. */
export interface ClaimScope {
  readonly cluster: ClusterIdentity;
  readonly vmid: Vmid;
  readonly isData: boolean;
  readonly names: Iterable<string>;
  /** The VM starts by UEFI: only then is an EFI disk one that oxherd made. */
  readonly uefi: boolean;
}

/** `PVC-ID`: so begin the WWNs that the CSI driver gives. */
const CSI_WWN = '0x5056432d4944';
/** EFI variables and a cloud-init drive take 4 MiB at most; what is larger was not made as such. */
export const EFI_LIMIT = 64 * MIB;

export const SYSTEM_DISK = 'os';

export function isCsiDrive({ wwn }: { readonly wwn?: string }): boolean {
  return wwn?.startsWith(CSI_WWN) === true;
}

export function nodeVmidOf({ vmid, isData }: Pick<ClaimScope, 'vmid' | 'isData'>): number {
  return isData ? talosVmidOf(vmid) : vmid;
}

/** The name a disk was made with: that one of the candidates whose hash its WWN is. */
export function identityName(
  cluster: ClusterIdentity,
  nodeVmid: number,
  wwn: Wwn | undefined,
  candidates: Iterable<string>,
): string | undefined {
  if (wwn === undefined) return undefined;
  for (const name of candidates) if (wwnOf(cluster, nodeVmid as Vmid, name) === wwn) return name;
  return undefined;
}

export function claimOf(reference: VolumeReference, scope: ClaimScope): Claim {
  const { volid, role, slot } = reference;
  if (role === 'cdrom') return 'image';
  const owner = ownerOfVolume(volid);
  if (owner !== scope.vmid) return isLent(reference, owner, scope) ? 'lent' : 'foreign';
  switch (role) {
    case 'cloudinit':
      return !scope.isData && /^ide[02]$/.test(slot) && (reference.size ?? 0) <= EFI_LIMIT
        ? 'made'
        : 'foreign';
    case 'efi':
      return scope.uefi && !scope.isData && slot === 'efidisk0' && (reference.size ?? Infinity) <= EFI_LIMIT
        ? 'made'
        : 'foreign';
    // Keys, as precious as what they encrypt, and never made by oxherd.
    case 'tpm':
      return 'foreign';
    case 'disk':
      return claimOfDisk(reference, scope);
    case 'unused':
    case 'state':
      return 'foreign';
  }
}

function isLent(reference: VolumeReference, owner: number | undefined, scope: ClaimScope): boolean {
  if (reference.role !== 'disk') return false;
  if (isCsiDrive(reference)) return !scope.isData;
  return !scope.isData && owner === scope.vmid * 10;
}

function claimOfDisk({ wwn }: VolumeReference, scope: ClaimScope): Claim {
  const name = identityName(scope.cluster, nodeVmidOf(scope), wwn, [SYSTEM_DISK, ...scope.names]);
  if (name === undefined) return 'foreign';
  if (name !== SYSTEM_DISK) return 'kept';
  return scope.isData ? 'foreign' : 'system';
}
