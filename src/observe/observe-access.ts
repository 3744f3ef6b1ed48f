import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { AccessDesign, Design } from '../design/design.js';
import { attempt } from './attempt.js';
import { observeLegacyAccess } from './observe-legacy-access.js';
import { type Known, known, notAsked, type ObservedAccess } from './observed.js';

/** Only the kinds of objects that the design has: no one needs the list of all users. */
export async function observeAccess(client: ProxmoxClient, design: Design): Promise<ObservedAccess> {
  const has = (kind: AccessDesign['kind']) => design.access.some((access) => access.kind === kind);
  const when = <T>(needed: boolean, read: () => Promise<T>): Promise<Known<T>> =>
    needed ? attempt(read) : Promise.resolve(notAsked());
  const users = design.access.flatMap((access) => (access.kind === 'user' ? [access.id] : []));
  const [roles, userIds, acl, pools, legacy] = await Promise.all([
    when(has('role'), async () =>
      Object.fromEntries((await client.roles()).map((role) => [role.roleid, [...role.privileges].sort()])),
    ),
    when(has('user'), async () => (await client.users()).map((user) => user.userid).sort()),
    when(has('acl'), async () =>
      (await client.acls()).map((entry) => ({
        path: entry.path,
        role: entry.roleid,
        subject: entry.ugid,
        propagate: entry.propagate,
      })),
    ),
    when(design.pool !== undefined, () => readPool(client, design.pool ?? '')),
    when(has('user'), () => observeLegacyAccess(client, design)),
  ]);
  const existing = userIds.known ? users.filter((user) => userIds.value.includes(user)) : [];
  const tokens = has('token')
    ? await attempt(async () => {
        const lists = await Promise.all(
          existing.map(async (user) =>
            (await client.tokens(user)).map(
              (token) =>
                [`${user}!${token.tokenid}`, { privilegeSeparation: token.privilegeSeparation }] as const,
            ),
          ),
        );
        return Object.fromEntries(lists.flat());
      })
    : known({});
  return { roles, users: userIds, tokens, acl, pools, legacy };
}

async function readPool(client: ProxmoxClient, pool: string) {
  const there = (await client.pools()).some((entry) => entry.poolid === pool);
  if (!there) return {};
  const { vmids, comment } = await client.pool(pool);
  return { [pool]: { vms: vmids, comment: comment ?? '' } };
}
