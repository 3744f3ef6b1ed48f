/** Access control lists (pve-access-control, PVE/API2/ACL.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import type { AclRecord } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';
import { isKnownPath, normalisePath } from './acl-path.js';
import { requireGrant } from './check-method.js';
import { Rights, rolePrivileges } from './rights.js';

export const aclHandlers: Handlers = {
  'GET /access/acl': listAcls,
  'PUT /access/acl': updateAcl,
};

function listAcls(call: Call): unknown {
  const rights = new Rights(call.pve.db);
  const auditor = call.allows('/access', ['Sys.Audit']);
  return [...call.pve.db.acls.values()]
    .filter((acl) => auditor || mayGrant(rights, call.who.id, acl.path))
    .map((acl) => ({ ...acl, propagate: acl.propagate ? 1 : 0 }));
}

function mayGrant(rights: Rights, id: string, path: string): boolean {
  try {
    requireGrant(rights, id, path);
    return true;
  } catch (error) {
    if (error instanceof PveError) return false;
    throw error;
  }
}

type Grantee = Pick<AclRecord, 'type' | 'ugid'>;

async function updateAcl(call: Call): Promise<null> {
  const lists = ['users', 'groups', 'tokens'] as const;
  if (!lists.some((name) => call.text(name))) {
    throw PveError.parameter(
      Object.fromEntries(lists.map((name) => [name, "either 'users', 'groups' or 'tokens' is required."])),
    );
  }
  const given = call.text('path') ?? '';
  const path = normalisePath(given);
  if (path === undefined || (!call.flag('delete') && !isKnownPath(path))) {
    throw PveError.parameter({ path: `invalid ACL path '${given}'` });
  }
  return withClusterLock(call.pve, 'user_cfg', 'ACL update failed', () => {
    const propagate = call.number('propagate') !== 0;
    const changes = splitList(call.text('roles') ?? '').flatMap((roleid) => {
      requireHandOut(call, path, roleid, propagate);
      return grantees(call).map((grantee) => ({ path, ...grantee, roleid, propagate }));
    });
    for (const acl of changes) {
      const key = `${acl.path} ${acl.type} ${acl.ugid} ${acl.roleid}`;
      if (call.flag('delete')) call.pve.db.acls.delete(key);
      // Not kept: root@pam may do everything anyway.
      else if (acl.type !== 'user' || acl.ugid !== 'root@pam') call.pve.db.acls.put(key, acl);
    }
    return null;
  });
}

function grantees(call: Call): Grantee[] {
  const { db } = call.pve;
  const groups = splitList(call.text('groups') ?? '').map((ugid): Grantee => {
    if (!db.groups.has(ugid)) throw new PveError(500, `group '${ugid}' does not exist`);
    return { type: 'group', ugid };
  });
  const users = splitList(call.text('users') ?? '').map((ugid): Grantee => {
    if (!db.users.has(ugid)) throw new PveError(500, `user '${ugid}' does not exist`);
    return { type: 'user', ugid };
  });
  const tokens = splitList(call.text('tokens') ?? '').map((ugid): Grantee => {
    const [user = '', token = ''] = ugid.split('!');
    if (!db.users.has(user)) throw new PveError(500, `no such user ('${user}')`);
    if (!db.tokens.has(ugid)) throw new PveError(500, `no such token '${token}' for user '${user}'`);
    return { type: 'token', ugid };
  });
  return [...groups, ...users, ...tokens];
}

/** Without `Permissions.Modify` one can only hand on what one has. */
function requireHandOut(call: Call, path: string, role: string, propagate: boolean): void {
  const privileges = rolePrivileges(call.pve.db, role);
  if (!privileges) throw new PveError(500, `role '${role}' does not exist`);
  const own = call.pve.access.privileges(call.who.id, path);
  if (own.has('Permissions.Modify')) return;
  const verb = call.flag('delete') ? 'remove' : 'add';
  for (const privilege of privileges) {
    if (!own.has(privilege)) {
      throw PveError.parameter({
        role: `Cannot ${verb} role '${role}' - requires 'Permissions.Modify' or superset of privileges.`,
      });
    }
    if (propagate && own.get(privilege) !== true && !call.flag('delete')) {
      throw PveError.parameter({
        role: `Cannot ${verb} role '${role}' with propagation - requires 'Permissions.Modify' or propagated superset of privileges.`,
      });
    }
  }
  if (role === 'NoAccess') {
    throw PveError.parameter({ role: `Cannot ${verb} role '${role}' - requires 'Permissions.Modify'` });
  }
}
