/** Volumes with the id of one of our VMs that nothing uses: old system disks, and what moves and migrations left. */

import type { Design } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { nameOnStorage } from '../../formats/proxmox/volume-naming.js';
import type { Vmid } from '../../model/identity.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleIn } from '../../observe/observed-lists.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { actualSize } from '../facts/drive-facts.js';
import { vmView } from '../facts/view-of-vm.js';
import { unreadUser } from './unread-guests.js';
import type { VolumeRow } from './volume-list.js';

export function leftoverRows(design: Design, observed: Observed): VolumeRow[] {
  return [...unusedOfTalosVms(design, observed), ...orphans(design, observed)];
}

function nodeName(design: Design, vm: ObservedVm): string {
  return design.nodes.find(({ talosVm }) => talosVm.vmid === vm.vmid)?.name ?? vm.name;
}

/** `unusedN` of a Talos VM: most often the system disk of a replace that was cut off. */
function unusedOfTalosVms(design: Design, observed: Observed): VolumeRow[] {
  return visibleVms(observed)
    .filter((vm) => !vm.tags.includes(DATA_TAG))
    .sort((a, b) => a.vmid - b.vmid)
    .flatMap((vm) =>
      Object.entries(vmView(vm)?.unused ?? {}).map(([slot, volid]): VolumeRow => {
        const size = actualSize(observed.volumes, vm.host, volid);
        return {
          name: `${nodeName(design, vm)}/${slot}`,
          kind: 'unknown',
          state: 'unused',
          volid,
          host: vm.host,
          owner: vm.vmid,
          ...(size !== undefined && { size }),
          remove: `qm set ${vm.vmid} --delete ${slot}`,
        };
      }),
    );
}

/** Volumes that a storage lists and no config names, on the host where they are. */
function orphans(design: Design, observed: Observed): VolumeRow[] {
  const ours = new Map(visibleVms(observed).map((vm) => [vm.vmid as number, vm]));
  const ids = new Set<number>([
    ...ours.keys(),
    ...design.nodes.flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]),
  ]);
  const unread = [...ours.values()].some((vm) => !vm.config.known);
  // A config that could not be read may name any of them.
  if (unread) return [];
  const seen = new Set<string>();
  return Object.entries(observed.volumes).flatMap(([place, listed]) => {
    const storage = observed.storages[place];
    if (!storage) return [];
    return visibleIn(listed).flatMap((volume): VolumeRow[] => {
      const owner = ownerOfVolume(volume.volid);
      const key = storage.shared ? volume.volid : `${storage.host}/${volume.volid}`;
      if (owner === undefined || !ids.has(owner) || seen.has(key)) return [];
      seen.add(key);
      if (observed.taken[owner] && !ours.has(owner)) return [];
      if (isNamed(observed, volume.volid, storage) || unreadUser(observed, storage.host, volume.volid))
        return [];
      return [
        {
          name: volume.volid,
          kind: 'unknown',
          state: 'orphan',
          volid: volume.volid,
          size: volume.size,
          host: storage.host,
          owner: owner as Vmid,
          remove: `pvesm free ${volume.volid}`,
        },
      ];
    });
  });
}

function isNamed(
  observed: Observed,
  volid: string,
  storage: { readonly host: string; readonly shared: boolean },
): boolean {
  const here = (host: string) => storage.shared || host === storage.host;
  // Two storages may keep their volumes at one place: what is named by the other one is in use.
  const names = (named: { readonly volid: string }) => nameOnStorage(named.volid) === nameOnStorage(volid);
  return (
    visibleVms(observed).some((vm) => here(vm.host) && vmView(vm)?.references.some(names)) ||
    (observed.outsiders ?? []).some((use) => here(use.host) && names(use))
  );
}
