/** Whether the Proxmox cluster has its quorum. */
import type { ClusterStatus } from '../../clients/proxmox/calls/cluster.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { attempt } from '../attempt.js';
import { type Known, known } from '../observed.js';

/**
 * After `pvecm expected 1` `/cluster/status` goes on reporting no quorum while writes succeed. HA's status tells whether
 * the cluster's files can be written at this moment, so it has the last word.
 */
export async function observeQuorum(
  client: Pick<ProxmoxClient, 'haStates'>,
  status: Known<ClusterStatus>,
): Promise<Known<boolean>> {
  if (status.known && status.value.quorate) return known(true);
  return attempt(async () => (await client.haStates()).quorate);
}
