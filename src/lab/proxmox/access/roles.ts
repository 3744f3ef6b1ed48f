/** Roles (pve-access-control, PVE/API2/Role.pm); recording `access-roles-users`. */
import { type Call, type Handlers, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';
import { BUILTIN_ROLES } from './privileges.js';
import { rolePrivileges } from './rights.js';

export const roleHandlers: Handlers = {
  'GET /access/roles': ({ pve }) => [
    ...[...BUILTIN_ROLES].map(([roleid, privs]) => ({
      roleid,
      privs: [...privs].sort().join(','),
      special: 1,
    })),
    ...[...pve.db.roles.values()].map(({ id, privs }) => ({
      roleid: id,
      privs: [...privs].sort().join(','),
      special: 0,
    })),
  ],
  'GET /access/roles/{roleid}': (call) => {
    const privileges = rolePrivileges(call.pve.db, roleId(call));
    if (!privileges) throw missing(roleId(call));
    return Object.fromEntries([...privileges].map((privilege) => [privilege, 1]));
  },
  'POST /access/roles': createRole,
  'PUT /access/roles/{roleid}': updateRole,
  'DELETE /access/roles/{roleid}': deleteRole,
};

const roleId = (call: Call) => call.text('roleid') ?? '';
const missing = (role: string) => new PveError(500, `role '${role}' does not exist`);

async function createRole(call: Call): Promise<null> {
  const { db } = call.pve;
  const id = roleId(call);
  if (/^PVE/i.test(id)) {
    throw PveError.parameter({
      roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace",
    });
  }
  return withClusterLock(call.pve, 'user_cfg', 'create role failed', () => {
    if (BUILTIN_ROLES.has(id) || db.roles.has(id)) throw new PveError(500, `role '${id}' already exists`);
    db.roles.put(id, { id, privs: [...new Set(splitList(call.text('privs') ?? ''))] });
    return null;
  });
}

async function updateRole(call: Call): Promise<null> {
  const { db } = call.pve;
  const id = roleId(call);
  if (BUILTIN_ROLES.has(id)) throw new PveError(500, `auto-generated role '${id}' cannot be modified`);
  return withClusterLock(call.pve, 'user_cfg', 'update role failed', () => {
    const role = db.roles.get(id);
    if (!role) throw missing(id);
    const kept = call.flag('append') ? role.privs : [];
    db.roles.put(id, { ...role, privs: [...new Set([...kept, ...splitList(call.text('privs') ?? '')])] });
    return null;
  });
}

async function deleteRole(call: Call): Promise<null> {
  const id = roleId(call);
  if (BUILTIN_ROLES.has(id)) throw new PveError(500, `auto-generated role '${id}' cannot be deleted`);
  return withClusterLock(call.pve, 'user_cfg', 'delete role failed', () => {
    const { roles, acls } = call.pve.db;
    if (!roles.has(id)) throw missing(id);
    roles.delete(id);
    // An entry with a role that is not there is left out when the file is read again.
    for (const [key, acl] of [...acls.entries()]) if (acl.roleid === id) acls.delete(key);
    return null;
  });
}
