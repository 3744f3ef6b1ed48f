/** Who else names our volumes: every VM and container of the Proxmox cluster that is not ours is asked, its snapshots included. */
import type { VmResource } from '../clients/proxmox/calls/cluster.js';
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { Design } from '../design/design.js';
import { ownerOfVolume } from '../formats/proxmox/drive-slots.js';
import { vmConfigOf } from '../formats/proxmox/vm-config.js';
import {
  containerNamings,
  namesVolume,
  type VolumeNaming,
  vmNamings,
} from '../formats/proxmox/volume-naming.js';
import { isIdentity } from '../model/identity.js';
import { attempt } from './attempt.js';
import type { ObservedVm, OutsideUse } from './observed.js';
import { readContainer, readVm } from './read-vm.js';

/** A guest that is not ours, and what its config names. */
interface Outsider {
  readonly type: VmResource['type'];
  readonly vmid: number;
  readonly name: string;
  readonly host: string;
  readonly running: boolean;
  /** Absent: it could not be read. */
  readonly namings?: readonly VolumeNaming[];
}

/**
 * What guests named when they were last read. On a Proxmox with many clusters each is an outsider to all the others, and reading
 * all of them for each is what most requests would be. Only looks that write nothing may remember: a run reads them itself.
 */
export interface OutsiderMemory {
  /** What is remembered; else what `ask` finds, which others that want the same wait for. */
  read(guest: string, ask: () => Promise<readonly VolumeNaming[]>): Promise<readonly VolumeNaming[]>;
}

export async function readOutsiders(
  client: ProxmoxClient,
  guests: readonly VmResource[],
  isOnline: (host: string) => boolean,
  memory?: OutsiderMemory,
): Promise<Outsider[]> {
  const ask = async ({ type, vmid, node }: VmResource) =>
    type === 'lxc'
      ? containerNamings(await readContainer(client, node, vmid))
      : vmNamings(await readVm(client, node, vmid));
  const read = (guest: VmResource) =>
    memory ? memory.read(`${guest.node}/${guest.type}/${guest.vmid}`, () => ask(guest)) : ask(guest);
  return Promise.all(
    guests.map(async (guest) => {
      const { type, vmid, node, name, status } = guest;
      const namings = isOnline(node) ? await attempt(() => read(guest)) : undefined;
      return {
        type,
        vmid,
        name: name ?? '',
        host: node,
        running: status !== 'stopped',
        ...(namings?.known && { namings: namings.value }),
      };
    }),
  );
}

/** A VM that only looks like ours is one of them. */
export function outsiderOf(vm: ObservedVm): Outsider {
  return {
    type: 'qemu',
    vmid: vm.vmid,
    name: vm.name,
    host: vm.host,
    running: vm.status !== 'stopped',
    ...(vm.config.known && { namings: vmNamings(vm.config.value) }),
  };
}

/** Only what concerns us is kept: uses of our volumes, and copies that carry an identity of ours. */
export function outsideUses(
  design: Design,
  ours: readonly ObservedVm[],
  outsiders: readonly Outsider[],
): OutsideUse[] {
  const volumeOf = whatConcernsUs(design, ours);
  const nodeOf = new Map<number, string>(
    design.nodes.flatMap(({ name, talosVm, dataVm }) =>
      [talosVm, ...(dataVm ? [dataVm] : [])].map(({ vmid }) => [vmid, name] as const),
    ),
  );
  return outsiders
    .flatMap(({ namings = [], ...guest }) =>
      namings.flatMap((naming): OutsideUse[] => {
        const volid = volumeOf(guest.vmid, naming);
        const { slot, section, wwn } = naming;
        if (volid === undefined) return [];
        const node = guest.type === 'qemu' ? nodeOf.get(guest.vmid) : undefined;
        return [{ ...guest, slot, volid, section, ...(wwn && { wwn }), ...(node !== undefined && { node }) }];
      }),
    )
    .sort((a, b) => a.vmid - b.vmid || (a.slot < b.slot ? -1 : 1));
}

/** The volume that a guest names and that is ours, or a copy of ours. */
function whatConcernsUs(
  design: Design,
  ours: readonly ObservedVm[],
): (vmid: number, naming: VolumeNaming) => string | undefined {
  const vmids = new Set<number>([
    ...ours.map((vm) => vm.vmid),
    ...design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  ]);
  const references = ours.flatMap((vm) => (vm.config.known ? vmConfigOf(vm.config.value).references : []));
  const volids = new Set<string>(references.filter(({ role }) => role !== 'cdrom').map(({ volid }) => volid));
  const wwns = new Set<string>([
    ...design.nodes.flatMap((node) => node.drives.map((drive) => drive.wwn)),
    ...references.flatMap(({ wwn }) => (wwn && isIdentity(wwn) ? [wwn] : [])),
  ]);
  const csi = new Set(design.csiVolumes.map((volume) => volume.volumeName));
  const byName = [...volids, ...design.csiVolumes.map((volume) => `${volume.storage}:${volume.volumeName}`)];
  return (vmid, naming) => {
    const { volid, wwn, role } = naming;
    if (volid === undefined) return byName.find((known) => namesVolume(naming, known));
    if (role === 'cdrom') return undefined;
    if (wwn !== undefined && wwns.has(wwn)) return volid;
    const owner = ownerOfVolume(volid);
    if (owner === vmid) return undefined;
    const concerns =
      (owner !== undefined && vmids.has(owner)) || volids.has(volid) || csi.has(baseName(volid));
    return concerns ? volid : undefined;
  };
}

/** `nfs:9999/vm-9999-pv.raw` → `vm-9999-pv` */
function baseName(volid: string): string {
  return volid.replace(/^.*[:/]/, '').replace(/\.(raw|qcow2|vmdk)$/, '');
}
