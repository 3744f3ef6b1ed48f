/** The `lock` of a VM's config: an operation that runs, or one that left it behind. */

/** How the VM gets rid of its lock without losing what the lock protects. */
export function lockAdvice(vmid: number, lock: string): string {
  // `qm unlock` would leave the saved memory unused: the guest boots from its disk, and unwritten data is lost.
  if (lock === 'suspended') return `resume it, which keeps its memory: qm start ${vmid}`;
  return `wait until the ${lock} is done (see the tasks of the VM); if no task runs, clear the stale lock with: qm unlock ${vmid}`;
}
