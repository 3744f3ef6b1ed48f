/** The pools that serve as the lock of a cluster, in one place. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { legacyLockPoolName, legacyTag, lockPoolName } from '../../formats/marks/cluster-names.js';
import type { ClusterIdentity } from '../../formats/marks/identities.js';

/** All are held, in this order. `legacy`: the one of version 0.1.0 as well, so that it cannot run beside us. */
export function lockPools(cluster: ClusterIdentity, legacy = false): readonly [string, ...string[]] {
  const pool = lockPoolName(cluster);
  return legacy ? [pool, legacyLockPoolName(cluster)] : [pool];
}

/** While any VM has a tag of version 0.1.0, that version could still run on it. */
export async function poolsToHold(
  client: Pick<ProxmoxClient, 'vms'>,
  cluster: ClusterIdentity,
): Promise<readonly string[]> {
  const old = legacyTag(cluster);
  return lockPools(
    cluster,
    (await client.vms()).some((vm) => vm.tags.includes(old)),
  );
}

/** Of all who want to replace the holder with this token, one can create it. */
export function claimPool(pool: string, token: string): string {
  return `${pool}_${token}`;
}

export function claimedToken(pool: string, poolid: string): string | undefined {
  const token = poolid.startsWith(`${pool}_`) ? poolid.slice(pool.length + 1) : '';
  return /^[0-9a-z]{8,64}$/.test(token) ? token : undefined;
}
