/** Votes: etcd and Proxmox decide by a majority of all that have one, whether they answer or not. */

/** How many of that many voters must agree. */
export function majorityOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** How many of that many voters can be down while the rest still decides. */
export function spareOf(voters: number): number {
  return Math.max(0, voters - majorityOf(voters));
}
