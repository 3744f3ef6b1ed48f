/** What the volumes on one of our VMs are to us, and what of them holds up that the VM goes or is replaced. */

import type { Design } from '../../design/design.js';
import { haComment, sidOf } from '../../design/ha.js';
import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { type Claim, claimOf, nodeVmidOf } from '../../formats/marks/drive-claim.js';
import { wwnOf } from '../../formats/marks/identities.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { sectionName, type VolumeReference } from '../../formats/proxmox/vm-config.js';
import { nameOnStorage } from '../../formats/proxmox/volume-naming.js';
import { dataVmidOf } from '../../model/identity.js';
import type { Observed, ObservedVm, OutsideUse } from '../../observe/observed.js';
import { guestText, releaseCommands } from '../../observe/observed-outsiders.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { actualSize } from '../facts/drive-facts.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';

interface ClaimedVolume extends VolumeReference {
  readonly claim: Claim;
  /** By its name: it goes when the VM is destroyed. */
  readonly owned: boolean;
}

/** Why a VM must not go, and the commands after which it may. */
export interface Blocker {
  readonly why: string;
  readonly advice: string;
}

type Around = { readonly design: Design; readonly observed: Observed };

/** Of the current config and of what waits for the next start. */
export function claimsOf({ design, observed }: Around, view: VmView): ClaimedVolume[] {
  const isData = view.vm.tags.includes(DATA_TAG);
  const scope = {
    cluster: design.cluster,
    vmid: view.vm.vmid,
    isData,
    uefi: view.effective.bios === 'ovmf',
    names: candidateNames({ design, observed }, nodeVmidOf({ vmid: view.vm.vmid, isData })),
  };
  return view.references
    .filter(({ section }) => typeof section === 'string')
    .map((reference) => ({
      ...reference,
      claim: claimOf(withActualSize(observed, view, reference), scope),
      owned: ownerOfVolume(reference.volid) === view.vm.vmid,
    }));
}

/** The line may say anything; the storage knows. */
function withActualSize({ volumes }: Observed, { vm }: VmView, reference: VolumeReference): VolumeReference {
  const size = actualSize(volumes, vm.host, reference.volid);
  return size === undefined ? reference : { ...reference, size };
}

const designed = new WeakMap<Design, readonly string[]>();

/** Asked for with every VM: few names, of many nodes. */
function designedNames(design: Design): readonly string[] {
  const known = designed.get(design);
  if (known) return known;
  const drives = design.nodes.flatMap((node) => node.drives);
  const names = [...new Set(drives.flatMap(({ name, was }) => [name, ...(was === undefined ? [] : [was])]))];
  designed.set(design, names);
  return names;
}

/** Names that disks of a node may have been made with: of oxherd.yaml, and as noted; only a hash that fits counts. */
export function candidateNames({ design, observed }: Around, nodeVmid: number): string[] {
  const noted = [nodeVmid, nodeVmid * 10].flatMap((vmid) => {
    const vm = visibleVm(observed, vmid);
    const notes = parseDataNotes((vm && vmView(vm)?.effective.description) ?? '');
    return [...notes.names.values(), ...(notes.firstNames?.values() ?? [])];
  });
  return [...new Set(['ephemeral', ...designedNames(design), ...noted])];
}

/** The node's EPHEMERAL disk is on a data VM of ours: its system disk can be thrown away. */
export function keepsDataApart({ design, observed }: Around, vm: ObservedVm): boolean {
  const dataVmid = dataVmidOf(vm.vmid);
  const data = visibleVm(observed, dataVmid);
  if (!data?.tags.includes(DATA_TAG)) return false;
  return vmView(data)?.byWwn.has(wwnOf(design.cluster, vm.vmid, 'ephemeral')) === true;
}

/** By this storage, or by one of another name that may keep its volumes at the same place. */
export function outsideUsesOf({ outsiders = [] }: Observed, volids: Iterable<string>): OutsideUse[] {
  const names = new Set([...volids].map(nameOnStorage));
  return outsiders.filter(({ volid }) => names.has(nameOnStorage(volid)));
}

/** Drives that oxherd has not made, snapshots, and other VMs that use what would go. */
export function blockersOf(around: Around, view: VmView): Blocker[] {
  const claims = claimsOf(around, view);
  const owned = new Set<string>(claims.filter((drive) => drive.owned).map(({ volid }) => volid));
  return [
    ...distinct(claims.filter(({ claim }) => claim === 'foreign')).map((drive) => foreignDrive(view, drive)),
    ...snapshotsOf(view),
    ...kept(around, view),
    ...outsideUsesOf(around.observed, owned).map(outsideUser),
  ];
}

function distinct(drives: readonly ClaimedVolume[]): ClaimedVolume[] {
  return drives.filter(
    (drive, index) =>
      drives.findIndex((one) => one.slot === drive.slot && one.volid === drive.volid) === index,
  );
}

function foreignDrive({ vm }: VmView, { slot, volid, owned, section }: ClaimedVolume): Blocker {
  const where = section === 'next' ? `${slot}, pending` : slot;
  // A disk loses its identity with its slot: what is on it cannot be told from here.
  const what =
    owned && slot.startsWith('unused')
      ? 'has no slot: an old system disk of an interrupted replace, or a disk that was detached outside oxherd'
      : 'was not created by oxherd';
  return {
    why: `${volid} (${where}) is on VM ${vm.vmid} and ${what}`,
    advice: detachCommands(vm.vmid, slot, owned),
  };
}

/** An own volume goes with its VM also when it is unused: it is given to another VM, or erased. */
export function detachCommands(vmid: number, slot: string, owned: boolean): string {
  if (!owned) return `detach it: qm set ${vmid} --delete ${slot}`;
  return `keep it on another VM: qm disk move ${vmid} ${slot} --target-vmid <VM> --target-disk ${slot.startsWith('unused') ? 'unused0' : '<slot>'}; or erase it: qm disk unlink ${vmid} --idlist ${slot} --force 1`;
}

/** Proxmox destroys no VM that it replicates or that the HA manager has, unless it may forget that (`purge`). */
function kept({ design, observed }: Around, { vm: { vmid } }: VmView): Blocker[] {
  const { replicated, taken, ha } = observed;
  // What oxherd has told HA, it takes back itself.
  const isOwn = ha?.known === true && ha.value.resources[sidOf(vmid)]?.comment === haComment(design.cluster);
  const jobs = replicated.known ? replicated.value.filter(({ guest }) => guest === vmid) : [];
  return [
    ...(replicated.known
      ? []
      : [
          {
            why: `whether VM ${vmid} is replicated could not be read: ${replicated.why}`,
            advice: 'run it again when Proxmox answers',
          },
        ]),
    ...jobs.map(({ id, target }) => ({
      why: `VM ${vmid} is replicated to ${target} (job ${id})`,
      advice: `delete the job first, Proxmox takes up to a minute: pvesr delete ${id}`,
    })),
    ...(taken[vmid]?.ha === undefined || isOwn
      ? []
      : [{ why: `VM ${vmid} is an HA resource`, advice: `release it first: ha-manager remove vm:${vmid}` }]),
  ];
}

function snapshotsOf(view: VmView): Blocker[] {
  const names = Object.keys(view.state.snapshots ?? {});
  const known = names.length > 0 ? names : view.effective.parent === undefined ? [] : [view.effective.parent];
  return known.map((name) => ({
    why: `VM ${view.vm.vmid} has the snapshot ${name}, which would be deleted with it`,
    advice: `delete it: qm delsnapshot ${view.vm.vmid} ${name}`,
  }));
}

export function outsideUser(use: OutsideUse): Blocker {
  return {
    why: `${guestText(use)} uses ${use.volid} as ${placeOf(use)}`,
    advice: releaseCommands(use),
  };
}

function placeOf({ slot, section }: OutsideUse): string {
  const name = sectionName(section);
  return name === undefined ? slot : `${slot} (${name})`;
}
