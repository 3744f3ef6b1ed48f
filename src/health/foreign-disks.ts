/** Disks on our VMs that nobody planned: they hold up a replace, and may be somebody's data. */
import type { Design, NodeDesign } from '../design/design.js';
import { isCsiDrive } from '../formats/drive-claim.js';
import { diskDrives } from '../formats/vm-config.js';
import { isIdentity } from '../model/identity.js';
import type { Observed } from '../observe/observed.js';
import type { Condition } from './condition.js';

export function foreignDiskConditions(design: Design, observed: Observed): Condition[] {
  return design.nodes.flatMap((node) => ofNode(node, observed));
}

function ofNode(node: NodeDesign, observed: Observed): Condition[] {
  const vms = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])];
  const found = vms.flatMap((vmid) => {
    const vm = observed.vms[vmid];
    if (!vm?.config.known) return [];
    return diskDrives(vm.config.value.values)
      .filter((drive) => !isIdentity(drive.wwn) && !isCsiDrive(drive))
      .map(({ slot, file }) => `${slot} of VM ${vmid} is ${file}`);
  });
  const read = vms.some((vmid) => observed.vms[vmid]?.config.known);
  if (!read) return [];
  const base = { layer: 'volumes', name: 'no-foreign-disk', subject: node.name } as const;
  if (found.length === 0) return [{ ...base, state: 'ok', message: 'no foreign disk' }];
  return [
    {
      ...base,
      state: 'failed',
      message: `a disk that is not in the file: ${found.join('; ')}`,
      advice: '`oxherd volumes adopt` takes it in; or detach it in Proxmox',
    },
  ];
}
