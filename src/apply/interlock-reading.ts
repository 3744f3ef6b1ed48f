/** What the interlock sees of a VM, and the words with which it refuses. */
import { isProxmoxError } from '../clients/proxmox/errors.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { parseDataNotes } from '../formats/marks/data-notes.js';
import { DATA_TAG } from '../formats/marks/data-tag.js';
import { type Claim, claimOf } from '../formats/marks/drive-claim.js';
import type { ClusterIdentity } from '../formats/marks/identities.js';
import { ownerOfVolume } from '../formats/proxmox/drive-slots.js';
import { parseTags } from '../formats/proxmox/property-string.js';
import {
  stateOfPending,
  type VmConfig,
  type VmState,
  type VolumeReference,
  vmConfigOf,
} from '../formats/proxmox/vm-config.js';
import { OxherdError } from '../model/error.js';
import { parseVmid, type Vmid } from '../model/identity.js';

export class InterlockError extends OxherdError {
  override readonly name = 'InterlockError';
}

/** A VM as it is now: running values, pending ones and those of its snapshots, since each may name a volume. */
export interface Reading {
  readonly vmid: Vmid;
  readonly config: VmConfig;
  readonly tags: readonly string[];
  readonly isData: boolean;
}

const UNREADABLE = ['proxmox.not-found', 'proxmox.forbidden', 'proxmox.host-down'] as const;

/** `undefined`: there is no such VM, it may not be read, or its host does not answer. */
export async function readIfThere(
  client: ProxmoxReads,
  node: string,
  vmid: number,
): Promise<Reading | undefined> {
  return ifReadable(() => readConfigNow(client, node, vmid));
}

export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (UNREADABLE.some((code) => isProxmoxError(error, code))) return undefined;
    throw error;
  }
}

/** What runs and what waits for the next start; for rules that snapshots do not concern. */
export async function readConfigNow(client: ProxmoxReads, node: string, vmid: number): Promise<Reading> {
  return readingOf(vmid, stateOfPending(await client.vmPending(node, vmid)));
}

export async function readVmNow(client: ProxmoxReads, node: string, vmid: number): Promise<Reading> {
  const names = (await client.snapshots(node, vmid)).map(({ name }) => name);
  const sections = await Promise.all(
    names.map(
      async (snapshot) => [snapshot, (await client.vmConfig(node, vmid, { snapshot })).values] as const,
    ),
  );
  // Last, so that nothing is asked between this answer and the call that relies on it.
  const state = stateOfPending(await client.vmPending(node, vmid));
  const { parent } = state.values;
  const snapshots = { ...(parent !== undefined && { [parent]: {} }), ...Object.fromEntries(sections) };
  return readingOf(vmid, { ...state, snapshots });
}

function readingOf(vmid: number, state: VmState): Reading {
  const config = vmConfigOf(state);
  const tags = parseTags(config.effective.tags ?? '');
  const id = parseVmid(vmid);
  if (!id) refuse(`reading VM ${vmid}`, 'that is no VM id');
  return { vmid: id, config, tags, isData: tags.includes(DATA_TAG) };
}

/** Names that disks of a VM may have been made with: what is noted is tried, and counts only where its hash fits. */
export function namesOn(readings: readonly (Reading | undefined)[], more: Iterable<string> = []): string[] {
  const noted = readings.flatMap((reading) => {
    const notes = parseDataNotes(reading?.config.effective.description ?? '');
    return [...notes.names.values(), ...(notes.firstNames?.values() ?? [])];
  });
  return [...new Set([...more, ...noted])];
}

/** What stands in the current config or waits for the next start, with what it is to us. */
export function claimsOn(
  cluster: ClusterIdentity,
  vm: Reading,
  names: readonly string[],
): (VolumeReference & { readonly claim: Claim; readonly owned: boolean })[] {
  return vm.config.references
    .filter(({ section }) => typeof section === 'string')
    .map((reference) => ({
      ...reference,
      claim: claimOf(reference, {
        cluster,
        vmid: vm.vmid,
        isData: vm.isData,
        names,
        uefi: vm.config.effective.bios === 'ovmf',
      }),
      owned: ownerOfVolume(reference.volid) === vm.vmid,
    }));
}

export function refuse(what: string, why: string): never {
  throw new InterlockError('interlock.refused', `refused: ${what}; ${why}`, {
    advice: 'nothing was changed; this is the guard that keeps data, please report how it came to this',
  });
}
