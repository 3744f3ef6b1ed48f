/** Who else names our volumes: every VM of the Proxmox cluster that is not ours is asked, its snapshots included. */
import type { VmResource } from '../clients/proxmox/calls/cluster.js';
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { Design } from '../design/design.js';
import { ownerOfVolume } from '../formats/drive-slots.js';
import { type VolumeReference, vmConfigOf } from '../formats/vm-config.js';
import { isIdentity, type Vmid } from '../model/identity.js';
import { attempt } from './attempt.js';
import type { ObservedVm, OutsideUse } from './observed.js';
import { readVm } from './read-vm.js';

export async function readOutsiders(
  client: ProxmoxClient,
  vms: readonly VmResource[],
  isOnline: (host: string) => boolean,
): Promise<ObservedVm[]> {
  return Promise.all(
    vms
      .filter((vm) => vm.type === 'qemu' && isOnline(vm.node))
      .map(async (vm) => ({
        vmid: vm.vmid as Vmid,
        host: vm.node,
        name: vm.name ?? '',
        status: vm.status === 'stopped' ? ('stopped' as const) : ('running' as const),
        tags: vm.tags,
        template: vm.template,
        config: await attempt(() => readVm(client, vm.node, vm.vmid)),
      })),
  );
}

/** Only what concerns us is kept: uses of our volumes, and copies that carry an identity of ours. */
export function outsideUses(
  design: Design,
  ours: readonly ObservedVm[],
  outsiders: readonly ObservedVm[],
): OutsideUse[] {
  const concerns = whatConcernsUs(design, ours);
  return outsiders
    .flatMap((vm) =>
      referencesOf(vm)
        .filter((reference) => concerns(vm.vmid, reference))
        .map(({ slot, volid, wwn, section }) => ({
          vmid: vm.vmid,
          name: vm.name,
          host: vm.host,
          running: vm.status !== 'stopped',
          slot,
          volid,
          section,
          ...(wwn && { wwn }),
        })),
    )
    .sort((a, b) => a.vmid - b.vmid || (a.slot < b.slot ? -1 : 1));
}

function whatConcernsUs(design: Design, ours: readonly ObservedVm[]) {
  const vmids = new Set<number>([
    ...ours.map((vm) => vm.vmid),
    ...design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  ]);
  const references = ours.flatMap(referencesOf);
  const volids = new Set(references.filter(({ role }) => role !== 'cdrom').map(({ volid }) => volid));
  const wwns = new Set<string>([
    ...design.nodes.flatMap((node) => node.drives.map((drive) => drive.wwn)),
    ...references.flatMap(({ wwn }) => (wwn && isIdentity(wwn) ? [wwn] : [])),
  ]);
  const csi = new Set(design.csiVolumes.map((volume) => volume.volumeName));
  return (vmid: number, { volid, wwn, role }: VolumeReference): boolean => {
    if (role === 'cdrom') return false;
    if (wwn !== undefined && wwns.has(wwn)) return true;
    const owner = ownerOfVolume(volid);
    if (owner === vmid) return false;
    return (owner !== undefined && vmids.has(owner)) || volids.has(volid) || csi.has(baseName(volid));
  };
}

function referencesOf(vm: ObservedVm): readonly VolumeReference[] {
  return vm.config.known ? vmConfigOf(vm.config.value).references : [];
}

/** `nfs:9999/vm-9999-pv.raw` → `vm-9999-pv` */
function baseName(volid: string): string {
  return volid.replace(/^.*[:/]/, '').replace(/\.(raw|qcow2|vmdk)$/, '');
}
