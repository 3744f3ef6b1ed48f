/** VMs that HA has recovered from a dead host although their disks were on that host alone: only the configs arrived. */

import type { NodeDesign } from '../../design/design.js';
import { notedHost } from '../../formats/marks/host-note.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { isGoneVolume } from '../drives/drive-problems.js';
import { ownerVm } from '../facts/drained-nodes.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';

export function isStranded(observed: Observed, vmid: number): boolean {
  return missingVolumes(observed, vmid).length > 0;
}

function missingVolumes(observed: Observed, vmid: number): string[] {
  const vm = visibleVm(observed, vmid);
  const view = vm && vmView(vm);
  if (!view || vm.status === 'running') return [];
  return view.drives
    .map(({ file }) => file)
    .filter((file) => ownerOfVolume(file) === vmid && isGoneVolume({ observed }, view, file));
}

/** A Talos VM that no start brings up, and the way out where its host never comes back. */
export function strandedProblems(node: NodeDesign, observed: Observed): Problem[] {
  const { vmid } = node.talosVm;
  const missing = missingVolumes(observed, vmid);
  const on = visibleVm(observed, vmid)?.host;
  const owner = ownerVm(node, observed);
  const noted = notedHost((owner && vmView(owner)?.effective.description) ?? '');
  const from = noted ?? node.host;
  if (missing.length === 0 || from === on || observed.hosts[from]?.online === true) return [];
  return [
    {
      code: 'vm-without-disks',
      scope: 'node',
      node: node.name,
      message: `VM ${vmid} is on ${on} without ${missing.join(', ')}, and cannot start: it was created on ${from}, which is down`,
      advice: `bring ${from} back; if ${from} never comes back: oxherd host lost ${from} --confirm ${from}`,
    },
  ];
}
