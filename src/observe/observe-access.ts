import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { AccessDesign, Design } from '../design/design.js';
import { heldOn, type Permissions } from '../formats/proxmox/permissions.js';
import { attempt } from './attempt.js';
import { observeLegacyAccess } from './observe-legacy-access.js';
import { type Known, notAsked } from './observed.js';
import { aclKey, type ObservedAccess } from './observed-access.js';
import { completeList, findIn, type Listed, listOf, shortened, unreadList } from './observed-lists.js';

/** Only the kinds of objects that the design has: no one needs the list of all users. */
export async function observeAccess(
  client: ProxmoxClient,
  design: Design,
  rights: Promise<Known<Permissions>>,
): Promise<ObservedAccess> {
  const has = (kind: AccessDesign['kind']) => design.access.some((access) => access.kind === kind);
  const when = async <T>(needed: boolean, read: () => Promise<Record<string, T>>): Promise<Listed<T>> =>
    needed ? listOf(await attempt(read)) : unreadList('not used');
  const [roles, users, acl, pools, legacy, permissions] = await Promise.all([
    when(has('role'), async () =>
      Object.fromEntries((await client.roles()).map((role) => [role.roleid, [...role.privileges].sort()])),
    ),
    when(has('user'), async () =>
      Object.fromEntries((await client.users()).map(({ userid: id }) => [id, { id }])),
    ),
    when(has('acl'), async () =>
      Object.fromEntries(
        (await client.acls()).map(({ path, roleid: role, ugid: subject, propagate }) => [
          aclKey({ path, role, subject }),
          { path, role, subject, propagate },
        ]),
      ),
    ),
    when(design.pool !== undefined, () => readPool(client, design.pool ?? '')),
    has('user') ? attempt(() => observeLegacyAccess(client, design)) : notAsked<never>(),
    rights,
  ]);
  const seen = { users: shortened(users, hiddenUsers(permissions)) };
  return {
    roles,
    ...seen,
    tokens: has('token') ? await readTokens(client, design, seen.users) : unreadList('not used'),
    acl: shortened(acl, hiddenAcls(permissions)),
    pools: shortened(pools, hiddenPool(permissions, design.pool ?? '')),
    legacy,
  };
}

async function readPool(client: ProxmoxClient, pool: string) {
  const there = (await client.pools()).some((entry) => entry.poolid === pool);
  if (!there) return {};
  const { vmids, comment } = await client.pool(pool);
  return { [pool]: { vms: vmids, comment: comment ?? '' } };
}

/** Of the users of the design; one that does not exist has none. */
async function readTokens(
  client: ProxmoxClient,
  { access }: Design,
  users: ObservedAccess['users'],
): Promise<ObservedAccess['tokens']> {
  const wanted = access.flatMap((one) => (one.kind === 'user' ? [findIn(users, one.id)] : []));
  const unread = wanted.flatMap((user) => (user.state === 'unread' ? [user.why] : []))[0];
  if (unread !== undefined) return unreadList(unread);
  const lists = await attempt(() =>
    Promise.all(
      wanted.map(async (user) =>
        user.state === 'present'
          ? (await client.tokens(user.value.id)).map(
              ({ tokenid, privilegeSeparation }) =>
                [`${user.value.id}!${tokenid}`, { privilegeSeparation }] as const,
            )
          : [],
      ),
    ),
  );
  return lists.known ? completeList(Object.fromEntries(lists.value.flat())) : unreadList(lists.why);
}

/** Others see themselves and the members of groups they may change (PVE/API2/User.pm). */
function hiddenUsers(permissions: Known<Permissions>): string | undefined {
  return missing(permissions, '/access/groups', ['Sys.Audit', 'User.Modify'], 'every user');
}

/** Others see the entries of paths whose permissions they may change (PVE/API2/ACL.pm). */
function hiddenAcls(permissions: Known<Permissions>): string | undefined {
  return missing(permissions, '/access', ['Sys.Audit'], 'every ACL');
}

/** `GET /pools` leaves out pools without this right (PVE/API2/Pool.pm). */
function hiddenPool(permissions: Known<Permissions>, pool: string): string | undefined {
  return missing(permissions, `/pool/${pool}`, ['Pool.Audit'], `the pool ${pool}`);
}

function missing(
  permissions: Known<Permissions>,
  path: string,
  anyOf: readonly string[],
  what: string,
): string | undefined {
  if (!permissions.known) return `the token's rights could not be read: ${permissions.why}`;
  const held = heldOn(permissions.value, path);
  if (anyOf.some((privilege) => held.has(privilege))) return undefined;
  return `the token may not see ${what} (${anyOf.join(' or ')} on ${path})`;
}
