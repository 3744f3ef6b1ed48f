/** Disks on our VMs that oxherd has not made, and our disks on VMs that are not ours: either may cost data. */

import type { Design, NodeDesign } from '../design/design.js';
import { adoptionNoteIn } from '../formats/marks/adoption-note.js';
import { isCsiDrive } from '../formats/marks/drive-claim.js';
import { ownerOfVolume } from '../formats/proxmox/drive-slots.js';
import { diskDrives } from '../formats/proxmox/vm-config.js';
import { isIdentity } from '../model/identity.js';
import type { Observed } from '../observe/observed.js';
import { guestText, releaseCommands } from '../observe/observed-outsiders.js';
import { visibleVm } from '../observe/observed-vms.js';
import type { Condition } from './condition.js';

export function foreignDiskConditions(design: Design, observed: Observed): Condition[] {
  return design.nodes.flatMap((node) => [...ofNode(node, observed), ...usersOf(node, observed)]);
}

/** While another VM runs with a disk of the node, two machines write it. */
function usersOf(node: NodeDesign, { outsiders = [] }: Observed): Condition[] {
  const vmids = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])] as readonly number[];
  return outsiders
    .filter(({ volid, vmid, running, section, node: own }) => {
      const owner = ownerOfVolume(volid);
      const uses = running && section === 'now' && own === undefined;
      return uses && owner !== vmid && owner !== undefined && vmids.includes(owner);
    })
    .map((use) => ({
      layer: 'volumes',
      name: 'no-foreign-user',
      subject: node.name,
      state: 'failed',
      message: `${guestText(use)} runs and uses ${use.volid} as ${use.slot}: two machines write the same disk`,
      advice: releaseCommands(use),
    }));
}

function ofNode(node: NodeDesign, observed: Observed): Condition[] {
  const vms = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])];
  const found = vms.flatMap((vmid) => {
    const vm = visibleVm(observed, vmid);
    if (!vm?.config.known) return [];
    return diskDrives(vm.config.value.values)
      .filter((drive) => !isIdentity(drive.wwn) && !isCsiDrive(drive))
      .map(({ slot, file }) => `${slot} of VM ${vmid} is ${file}`);
  });
  const read = vms.some((vmid) => visibleVm(observed, vmid)?.config.known);
  if (!read) return [];
  const base = { layer: 'volumes', name: 'no-foreign-disk', subject: node.name } as const;
  if (found.length === 0) return [{ ...base, state: 'ok', message: 'no foreign disk' }];
  // What an adopted VM had besides stays as it was.
  if (vms.some((vmid) => adoptionNoteIn(descriptionOf(observed, vmid)) !== undefined))
    return [{ ...base, state: 'note', message: `left alone since the adoption: ${found.join('; ')}` }];
  return [
    {
      ...base,
      state: 'failed',
      message: `a disk that is not in oxherd.yaml: ${found.join('; ')}`,
      advice: '`oxherd volumes adopt` takes it in; or detach it in Proxmox',
    },
  ];
}

function descriptionOf(observed: Observed, vmid: number): string | undefined {
  const config = visibleVm(observed, vmid)?.config;
  return config?.known ? config.value.values.description : undefined;
}
