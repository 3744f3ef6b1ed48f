/** A Talos VM whose system disk is gone: nothing on it matters, so it gets another one; its data is elsewhere. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { newDrive } from '../facts/drive-facts.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';

const SLOT = 'scsi0';

/** The VM is ours by a disk that is kept, and has no system disk. */
export function lacksSystemDisk(node: NodeDesign, observed: Pick<Observed, 'vms'>): boolean {
  const vm = visibleVm(observed, node.talosVm.vmid);
  const view = vm && vmView(vm);
  const os = node.drives.find((drive) => drive.kind === 'os');
  if (!view || !os || !node.dataVm || view.byWwn.has(os.wwn)) return false;
  const hasOurs = node.drives.some((drive) => drive.kept && view.byWwn.has(drive.wwn));
  return hasOurs && view.effective[SLOT] === undefined;
}

/** The step that gives it one; `undefined`: something has to be done first, and that is said. */
export function planSystemDisk(
  { list, problems }: Draft,
  node: NodeDesign,
  view: VmView,
  os: DriveDesign,
  needs: readonly (string | undefined)[],
): string | undefined {
  const { vm } = view;
  if (vm.status === 'running' || !node.dataVm) {
    problems.push({
      code: 'system-disk-gone',
      scope: 'node',
      node: node.name,
      message: `VM ${vm.vmid} runs without a system disk`,
      advice: `stop it (qm stop ${vm.vmid} on ${vm.host}), then run apply: it gets a new one, and its data stays`,
    });
    return undefined;
  }
  return list.add(String(vm.vmid), {
    kind: 'replace-os-disk',
    node: node.name,
    title: `create a new system disk for ${node.name} with Talos ${node.talosVersion}`,
    reasons: [`its system disk is missing; its data is on disks of data VM ${node.dataVm.vmid}`],
    impact: 'none',
    needs,
    load: { host: vm.host, storage: os.storage },
    vmid: vm.vmid,
    dataVmid: node.dataVm.vmid,
    host: vm.host,
    ip: node.ip,
    role: node.role,
    drive: newDrive(os, SLOT),
    keptOn: {},
    proof: 'after',
    gone: true,
  });
}
