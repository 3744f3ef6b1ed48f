import type { Lab } from '../../src/lab/index.js';

/** From before the drives were told not to be replicated: Proxmox refuses a new job for such a VM. */
export function putReplicationJob(lab: Lab, vmid: number, jobnum: number, target: string): void {
  const id = `${vmid}-${jobnum}`;
  const job = { id, guest: vmid, jobnum, target, options: { schedule: '*/15' } };
  lab.proxmox.pve.db.replicationJobs.put(id, job);
}
