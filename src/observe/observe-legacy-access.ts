/** What version 0.1.0 made for a cluster under names that others could share: read so that it can be replaced. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { Design } from '../design/design.js';
import { legacyCsiAccessNames, legacyTag } from '../formats/marks/cluster-names.js';
import type { LegacyAccess } from './observed-access.js';

export async function observeLegacyAccess(
  client: ProxmoxClient,
  { cluster, pool }: Design,
): Promise<LegacyAccess> {
  const names = legacyCsiAccessNames(cluster);
  // A pool that oxherd.yaml names is the user's own.
  const poolId = pool === cluster.tag ? legacyTag(cluster) : undefined;
  const [users, roles, pools] = await Promise.all([client.users(), client.roles(), client.pools()]);
  const user = users.find((entry) => entry.userid === names.user);
  const hasPool = poolId !== undefined && pools.some((entry) => entry.poolid === poolId);
  const [tokens, members] = await Promise.all([
    user ? client.tokens(user.userid) : [],
    hasPool ? client.pool(poolId) : undefined,
  ]);
  return {
    ...(user && {
      user: { id: user.userid, comment: user.comment ?? '', tokens: tokens.map((token) => token.tokenid) },
    }),
    roles: roles.map((role) => role.roleid).filter((id) => id === names.role || id === names.deleteRole),
    ...(members && {
      pool: {
        id: members.poolid,
        comment: members.comment ?? '',
        vms: members.vmids,
        storages: members.storages,
      },
    }),
  };
}
