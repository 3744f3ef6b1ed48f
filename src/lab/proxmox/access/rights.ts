/** Who may do what where (pve-access-control, PVE/RPCEnvironment.pm and PVE/AccessControl.pm). */
import type { AclRecord, PveDb } from '../db.js';
import { pathAndAbove } from './acl-path.js';
import { ALL_PRIVILEGES, BUILTIN_ROLES } from './privileges.js';

type Roles = Map<string, boolean>;
export type Privileges = ReadonlyMap<string, boolean>;

const EVERYTHING: Privileges = new Map([...ALL_PRIVILEGES].map((privilege) => [privilege, true]));
const NOTHING: Privileges = new Map();

export function rolePrivileges(db: PveDb, role: string): ReadonlySet<string> | undefined {
  const builtin = BUILTIN_ROLES.get(role);
  if (builtin) return builtin;
  const own = db.roles.get(role);
  return own && new Set(own.privs);
}

/** The rights as they stand now; made again for each request, so that it may remember what it has worked out. */
export class Rights {
  readonly #acls = new Map<string, AclRecord[]>();
  readonly #known = new Map<string, Privileges>();
  readonly #poolPaths = new Map<string, string[]>();

  constructor(private readonly db: PveDb) {
    for (const acl of db.acls.values()) {
      const there = this.#acls.get(acl.path);
      if (there) there.push(acl);
      else this.#acls.set(acl.path, [acl]);
    }
    for (const pool of db.pools.values()) {
      const members = [
        ...pool.vms.map((vmid) => `/vms/${vmid}`),
        ...pool.storages.map((id) => `/storage/${id}`),
      ];
      for (const path of members) this.#poolPaths.set(path, [...(this.#poolPaths.get(path) ?? []), pool.id]);
    }
  }

  privileges(id: string, path: string | undefined): Privileges {
    // Only the user himself: his tokens are looked at by their own rights.
    if (id === 'root@pam') return EVERYTHING;
    if (path === undefined) return NOTHING;
    const key = `${id} ${path}`;
    let found = this.#known.get(key);
    if (!found) {
      found = this.#workOut(id, path);
      this.#known.set(key, found);
    }
    return found;
  }

  #workOut(id: string, path: string): Privileges {
    const token = this.db.tokens.get(id);
    if (id.includes('!') && !token) return NOTHING;
    if (token && !token.privsep) return this.privileges(token.user, path);

    const held = new Map<string, boolean>();
    for (const [role, propagates] of this.#rolesWithPools(id, path)) {
      for (const privilege of rolePrivileges(this.db, role) ?? []) {
        held.set(privilege, held.get(privilege) || propagates);
      }
    }
    if (!token || token.user === 'root@pam') return held;
    const user = this.privileges(token.user, path);
    const both = [...held].filter(([privilege]) => user.has(privilege));
    return new Map(
      both.map(([privilege, propagates]) => [privilege, propagates && user.get(privilege) === true]),
    );
  }

  /** Members of a pool inherit the roles held on it; `NoAccess` on either side wins. */
  #rolesWithPools(id: string, path: string): Roles {
    const roles = this.#roles(id, path);
    if (roles.has('NoAccess')) return roles;
    for (const pool of this.#poolPaths.get(path) ?? []) {
      const fromPool = this.#roles(id, `/pool/${pool}`);
      if (fromPool.has('NoAccess')) return new Map([['NoAccess', false]]);
      for (const role of fromPool.keys()) if (!roles.has(role)) roles.set(role, false);
    }
    return roles;
  }

  /** The deepest path with an entry counts; there a token's own entry before the user's before his groups'. */
  #roles(id: string, path: string): Roles {
    const groups = this.db.users.get(id)?.groups ?? [];
    let roles: Roles = new Map();
    for (const place of pathAndAbove(path)) {
      const here = (this.#acls.get(place) ?? []).filter((acl) => acl.propagate || place === path);
      const entries = [
        here.filter((acl) => acl.type === 'token' && acl.ugid === id),
        here.filter((acl) => acl.type === 'user' && acl.ugid === id),
        here.filter((acl) => acl.type === 'group' && groups.includes(acl.ugid)),
      ].find((found) => found.length > 0);
      if (entries) roles = new Map(entries.map((acl) => [acl.roleid, acl.propagate]));
    }
    const none = roles.get('NoAccess');
    return none === undefined ? roles : new Map([['NoAccess', none]]);
  }
}
