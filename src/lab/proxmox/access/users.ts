/** Users (pve-access-control, PVE/API2/User.pm); recording `access-roles-users`. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { PveDb, UserRecord } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';
import { realmNamed } from './realms.js';
import { hashSecret } from './secrets.js';
import { describeToken } from './tokens.js';

const MAY_SEE = ['User.Modify', 'Sys.Audit'];
const TEXTS = ['firstname', 'lastname', 'email', 'comment', 'keys'] as const;

export const userHandlers: Handlers = {
  'GET /access/users': listUsers,
  'GET /access/users/{userid}': (call) => {
    const user = requireUser(call.pve.db, userId(call));
    const tokens = tokensOf(call.pve.db, user.id);
    return {
      ...describeUser(user),
      groups: [...user.groups].sort(),
      tokens:
        tokens.length === 0
          ? null
          : Object.fromEntries(tokens.map((token) => [token.id, describeToken(token)])),
    };
  },
  'POST /access/users': (call) =>
    withClusterLock(call.pve, 'user_cfg', 'create user failed', () => createUser(call)),
  'PUT /access/users/{userid}': (call) =>
    withClusterLock(call.pve, 'user_cfg', 'update user failed', () => updateUser(call)),
  'DELETE /access/users/{userid}': deleteUser,
};

const userId = (call: Call) => call.text('userid') ?? '';

export function requireUser(db: PveDb, id: string): UserRecord {
  const user = db.users.get(id);
  if (!user) throw new PveError(500, `no such user ('${id}')`);
  return user;
}

function tokensOf(db: PveDb, user: string) {
  return [...db.tokens.values()]
    .filter((token) => token.user === user)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function describeUser(user: UserRecord): Record<string, unknown> {
  const texts = TEXTS.flatMap((name) => (user[name] ? [[name, user[name]]] : []));
  // A line of the file ends with its last text, and an empty address before that is one.
  const blank = !user.email && (user.comment || user.keys) ? { email: '' } : {};
  return { enable: user.enable ? 1 : 0, expire: user.expire, ...blank, ...Object.fromEntries(texts) };
}

function listUsers(call: Call): unknown {
  const { db } = call.pve;
  const all = call.allows('/access/groups', MAY_SEE, { any: true });
  const mine = (user: UserRecord) =>
    user.id === call.who.id ||
    user.groups.some((group) => call.allows(`/access/groups/${group}`, MAY_SEE, { any: true }));
  const enabled = call.number('enabled');
  return [...db.users.values()]
    .filter((user) => all || mine(user))
    .filter((user) => enabled === undefined || user.enable === (enabled === 1))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((user) => {
      const realm = user.id.slice(user.id.lastIndexOf('@') + 1);
      const type = realmNamed(call.pve, realm)?.type;
      const tokens = tokensOf(db, user.id);
      return {
        userid: user.id,
        ...describeUser(user),
        ...(type === undefined ? {} : { 'realm-type': type }),
        ...(call.flag('full') && {
          groups: [...user.groups].sort().join(','),
          tokens:
            tokens.length === 0
              ? null
              : tokens.map((token) => ({ tokenid: token.id, ...describeToken(token) })),
        }),
      };
    });
}

function createUser(call: Call): null {
  const { db, core } = call.pve;
  const id = userId(call);
  if (db.users.has(id)) throw new PveError(500, `user '${id}' already exists`);
  const password = call.text('password');
  if (password) requirePasswordRealm(call, id);
  db.users.put(id, {
    id,
    enable: call.number('enable') !== 0,
    expire: call.number('expire') ?? 0,
    groups: existingGroups(call),
    ...texts(call),
    ...(password ? { password: hashSecret(core.random.hex(16), password) } : {}),
  });
  return null;
}

function requirePasswordRealm({ pve }: Call, id: string): void {
  const realm = id.slice(id.lastIndexOf('@') + 1);
  const type = realmNamed(pve, realm)?.type;
  if (type === undefined) throw new PveError(500, `auth domain '${realm}' does not exist`);
  if (type !== 'pam' && type !== 'pve') throw new PveError(500, `can't set password on auth type '${type}'`);
  const name = id.slice(0, id.lastIndexOf('@'));
  // A host has no users of its own but root.
  if (type === 'pam' && name !== 'root') {
    throw new PveError(500, `change password failed: user '${name}' does not exist`);
  }
}

export function setPassword(call: Call, id: string, password: string): void {
  requirePasswordRealm(call, id);
  const hash = hashSecret(call.pve.core.random.hex(16), password);
  call.pve.db.users.update(id, (user) => ({ ...user, password: hash }));
}

function updateUser(call: Call): null {
  const { db } = call.pve;
  const user = requireUser(db, userId(call));
  const groups = call.text('groups') === undefined ? user.groups : existingGroups(call);
  db.users.put(user.id, {
    ...user,
    ...texts(call),
    enable: call.number('enable') === undefined ? user.enable : call.flag('enable'),
    expire: call.number('expire') ?? user.expire,
    groups: call.flag('append') ? [...new Set([...user.groups, ...groups])] : groups,
  });
  return null;
}

function texts(call: Call): Partial<Record<(typeof TEXTS)[number], string>> {
  return Object.fromEntries(
    TEXTS.flatMap((name) => {
      const text = call.text(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function existingGroups(call: Call): string[] {
  const groups = splitList(call.text('groups') ?? '');
  const unknown = groups.find((group) => !call.pve.db.groups.has(group));
  if (unknown !== undefined) throw new PveError(500, `no such group '${unknown}'`);
  return groups;
}

/** With his tokens and everything that was granted to either. */
function deleteUser(call: Call): Promise<null> {
  const { db } = call.pve;
  const id = userId(call);
  requireUser(db, id);
  return withClusterLock(call.pve, 'user_cfg', 'delete user failed', () => {
    db.users.delete(id);
    for (const token of tokensOf(db, id)) db.tokens.delete(`${id}!${token.id}`);
    for (const [key, acl] of [...db.acls.entries()]) {
      if (acl.ugid === id || (acl.type === 'token' && acl.ugid.startsWith(`${id}!`))) db.acls.delete(key);
    }
    return null;
  });
}
