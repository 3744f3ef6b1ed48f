/**
 * Whose a VM is. Three things together make it this cluster's: its id, the cluster's tag, and on it an identity that
 * only this cluster gives to this id (the uuid, or the WWN of one of its disks; both are hashes over cluster, env and
 * id). A clone has the tag and another id; an old tag may be that of two clusters. The fingerprint of the secrets that
 * a VM was made with can only take a VM away from us, never give us one: people copy descriptions.
 */
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import { parsePropertyString, parseTags } from '../proxmox/property-string.js';
import { diskDrives } from '../proxmox/vm-config.js';
import { clusterTag, legacyTag } from './cluster-names.js';
import { parseDataNotes } from './data-notes.js';
import { DATA_TAG } from './data-tag.js';
import { type ClusterIdentity, smbiosUuidOf, wwnOf } from './identities.js';
import { notedSecrets } from './secrets-note.js';

/** A cluster as the owner of VMs. */
export interface ClusterOwner extends ClusterIdentity {
  /** Fingerprint of its secrets; absent: they are not at hand. */
  readonly secrets?: string;
  /** Of nodes that begin again with other secrets: what they were made with before. */
  readonly formerSecrets?: readonly string[];
}

type Ownership =
  | { readonly ours: true; readonly legacyTag: boolean }
  /** `why` completes "VM 151 is not ours: …". */
  | { readonly ours: false; readonly because: 'tag' | 'identity' | 'secrets'; readonly why: string };

/** Whether the tags name this cluster, now or as version 0.1.0 wrote them. */
export function mayBeOurs(cluster: ClusterIdentity, tags: readonly string[]): boolean {
  return tags.includes(clusterTag(cluster)) || tags.includes(legacyTag(cluster));
}

/** `values`: the VM's config as it will be after its next start. */
export function ownershipOf(
  owner: ClusterOwner,
  vmid: Vmid,
  values: Readonly<Record<string, string>>,
): Ownership {
  const tags = parseTags(values.tags ?? '');
  const tag = clusterTag(owner);
  if (!mayBeOurs(owner, tags)) return { ours: false, because: 'tag', why: `it does not have the tag ${tag}` };
  if (!hasIdentity(owner, vmid, tags, values)) {
    const has = tags.includes(tag) ? tag : legacyTag(owner);
    const why = `it has the tag ${has}, but neither the uuid nor a disk that this cluster gives to VM ${vmid}`;
    return { ours: false, because: 'identity', why };
  }
  const noted = notedSecrets(values.description ?? '');
  if (noted !== undefined && owner.secrets !== undefined && noted !== owner.secrets) {
    if (owner.formerSecrets?.includes(noted) !== true)
      return { ours: false, because: 'secrets', why: 'it was created with the secrets of another cluster' };
  }
  return { ours: true, legacyTag: !tags.includes(tag) };
}

function hasIdentity(
  cluster: ClusterIdentity,
  vmid: Vmid,
  tags: readonly string[],
  values: Readonly<Record<string, string>>,
): boolean {
  if (uuidIn(values.smbios1 ?? '') === smbiosUuidOf(cluster, vmid)) return true;
  const node = (tags.includes(DATA_TAG) ? talosVmidOf(vmid) : vmid) as Vmid;
  const names = ['os', 'ephemeral', ...parseDataNotes(values.description ?? '').names.values()];
  const wwns = new Set(names.map((name) => wwnOf(cluster, node, name)));
  return diskDrives(values).some(({ wwn }) => wwn !== undefined && wwns.has(wwn));
}

function uuidIn(smbios: string): string | undefined {
  try {
    return parsePropertyString(smbios).uuid?.toLowerCase();
  } catch {
    return undefined;
  }
}
