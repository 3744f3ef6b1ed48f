/** What backup jobs take of which guests, and whom they leave out (pve-manager, PVE/API2/Backup.pm). */
import type { Call, Handlers, Pve } from '../api.js';
import { requireJob } from './jobs.js';
import { backupDrives, selectedGuests } from './selection.js';

export const coverageHandlers: Handlers = {
  'GET /cluster/backup/{id}/included_volumes': includedVolumes,
  'GET /cluster/backup-info': () => [{ subdir: 'not-backed-up' }],
  'GET /cluster/backup-info/not-backed-up': notBackedUp,
};

function includedVolumes(call: Call): unknown {
  const job = requireJob(call);
  const node = job.node;
  const guests = selectedGuests(call.pve, job);
  const children = [...guests].flatMap(([host, vmids]) => {
    if (node !== undefined && node !== host && host !== '') return [];
    // Names of guests are for those who may see them.
    const seen = vmids.filter((vmid) => call.allows(`/vms/${vmid}`, ['VM.Audit']));
    return seen.map((vmid) => guestTree(call.pve, vmid));
  });
  return { children };
}

function guestTree(pve: Pve, vmid: number): Record<string, unknown> {
  const vm = pve.db.vms.get(String(vmid));
  if (!vm) return { id: vmid, type: 'unknown', leaf: 1 };
  return {
    id: vmid,
    name: vm.config.name ?? '',
    type: 'qemu',
    leaf: 0,
    children: backupDrives(vm).map(({ key, volid, included, reason }) => ({
      id: `${vmid}:${key}`,
      name: volid,
      included: included ? 1 : 0,
      reason,
      leaf: 1,
    })),
  };
}

/** Guests that no job names, whether it is enabled or not. */
function notBackedUp(call: Call): unknown {
  const { pve } = call;
  const covered = new Set(
    [...pve.db.backupJobs.values()].flatMap((job) => [...selectedGuests(pve, job).values()].flat()),
  );
  return [...pve.db.vms.values()]
    .filter((vm) => !covered.has(vm.vmid) && call.allows(`/vms/${vm.vmid}`, ['VM.Audit']))
    .map((vm) => ({
      vmid: vm.vmid,
      type: 'qemu',
      ...(vm.config.name === undefined ? {} : { name: vm.config.name }),
    }));
}
