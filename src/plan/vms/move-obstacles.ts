/** What keeps a VM or its disks from moving anywhere: said before anything is drained or stopped. */
import { lockAdvice } from '../../formats/proxmox/vm-lock.js';
import type { Observed } from '../../observe/observed.js';
import type { VmView } from '../facts/view-of-vm.js';

export type Reason = readonly [why: string, advice: string];

export function moveObstacles(view: VmView, { replicated }: Pick<Observed, 'replicated'>): Reason[] {
  return [...locked(view), ...snapshots(view), ...replication(view, replicated)];
}

/** A backup, a snapshot or a migration that runs holds one. */
function locked({ vm, effective }: VmView): Reason[] {
  if (effective.lock === undefined) return [];
  return [[`VM ${vm.vmid} is locked by Proxmox (${effective.lock})`, lockAdvice(vm.vmid, effective.lock)]];
}

/** Proxmox does not move a disk that a snapshot holds, on whichever of the two VMs it was taken. */
function snapshots({ vm, effective, state }: VmView): Reason[] {
  const names = Object.keys(state.snapshots ?? {});
  const found = names.length > 0 ? names : effective.parent === undefined ? [] : [effective.parent];
  if (found.length === 0) return [];
  return [
    [
      `VM ${vm.vmid} has snapshots (${found.join(', ')})`,
      `delete them: ${found.map((name) => `qm delsnapshot ${vm.vmid} ${name}`).join(' && ')}`,
    ],
  ];
}

/** The job goes on from the host that the VM has left, to copies that nothing keeps up with. */
function replication({ vm }: VmView, jobs: Observed['replicated']): Reason[] {
  if (!jobs.known)
    return [
      [
        `whether VM ${vm.vmid} is replicated could not be read: ${jobs.why}`,
        'run it again when Proxmox answers',
      ],
    ];
  const own = jobs.value.filter(({ guest }) => guest === vm.vmid);
  if (own.length === 0) return [];
  return [
    [
      `VM ${vm.vmid} is replicated to ${own.map(({ id, target }) => `${target} (job ${id})`).join(', ')}`,
      `delete the job first, Proxmox takes up to a minute: ${own.map(({ id }) => `pvesr delete ${id}`).join(' && ')}`,
    ],
  ];
}
