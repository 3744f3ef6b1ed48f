/** Disks on our VMs that nobody planned: they hold up a replace, and may be somebody's data. */
import type { Design, NodeDesign } from '../design/design.js';
import { diskDrives } from '../formats/vm-config.js';
import type { Observed } from '../observe/observed.js';
import type { Condition } from './condition.js';

/** `PVC-ID`: so begin the WWNs that the CSI driver gives. */
const CSI_WWN = '0x5056432d4944';

export function foreignDiskConditions(design: Design, observed: Observed): Condition[] {
  return design.nodes.flatMap((node) => ofNode(node, observed));
}

function ofNode(node: NodeDesign, observed: Observed): Condition[] {
  const vms = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])];
  const found = vms.flatMap((vmid) => {
    const vm = observed.vms[vmid];
    if (!vm?.config.known) return [];
    return diskDrives(vm.config.value.values)
      .filter(({ wwn }) => !wwn?.startsWith('0x3') && !wwn?.startsWith(CSI_WWN))
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
