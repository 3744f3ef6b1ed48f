/** Logging in and what one may do (pve-access-control, PVE/API2/AccessControl.pm); recording `login-ticket`. */
import { type Call, type Handlers, PveError } from '../api.js';
import { splitList, userIdProblem } from '../validation/formats.js';
import { normalisePath, pathAndAbove } from './acl-path.js';
import { isEnabled } from './authenticate.js';
import { denied } from './denied.js';
import { Rights } from './rights.js';
import { isSecret } from './secrets.js';
import { requireUser, setPassword } from './users.js';

export const loginHandlers: Handlers = {
  'GET /access/ticket': () => null,
  'POST /access/ticket': login,
  'PUT /access/password': changePassword,
  'GET /access/permissions': showPermissions,
  'GET /access/openid': () => [{ subdir: 'auth-url' }, { subdir: 'login' }],
};

function isProof(call: Call, user: string, password: string): boolean {
  const { db, access, core } = call.pve;
  if (userIdProblem(user) !== undefined) return false;
  if (!isEnabled(db, user, Math.floor(core.clock.now() / 1000))) return false;
  // A ticket that is still good buys a new one.
  if (access.isTicketOf(user, password)) return true;
  const hash = db.users.get(user)?.password;
  return hash !== undefined && isSecret(hash, password);
}

function login(call: Call): unknown {
  const realm = call.text('realm');
  const user = `${call.text('username') ?? ''}${realm ? `@${realm}` : ''}`;
  const failure = () => new PveError(401, 'authentication failure');
  if (!isProof(call, user, call.text('password') ?? '')) throw failure();
  const path = call.text('path');
  if (path !== undefined) {
    const place = normalisePath(path);
    const rights = new Rights(call.pve.db);
    const wanted = splitList(call.text('privs') ?? '');
    if (!wanted.every((privilege) => rights.privileges(user, place).has(privilege))) throw failure();
    return { username: user, cap: capabilities(call, user) };
  }
  const { ticket, csrf } = call.pve.access.newTicket(user);
  const audit = call.pve.access.privileges(user, '/').has('Sys.Audit');
  return {
    username: user,
    ticket,
    CSRFPreventionToken: csrf,
    cap: capabilities(call, user),
    ...(audit && call.pve.db.hosts.size > 1 ? { clustername: call.pve.db.settings.get('cluster-name') } : {}),
  };
}

const CAPABILITIES: Readonly<Record<string, RegExp>> = {
  vms: /^(VM\.|Permissions\.Modify)/,
  access: /^((User|Group)\.|Permissions\.Modify)/,
  storage: /^(Datastore\.|Permissions\.Modify)/,
  nodes: /^(Sys\.|Permissions\.Modify)/,
  sdn: /^(SDN\.|Permissions\.Modify)/,
  dc: /^(Sys\.Audit|Sys\.Modify|SDN\.)/,
  mapping: /^(Mapping\.|Permissions\.Modify)/,
};

/** What a user can do somewhere, by the first part of the path; members of pools count for their kind. */
function capabilities(call: Call, user: string): Record<string, Record<string, 1>> {
  const rights = new Rights(call.pve.db);
  const found = Object.fromEntries(Object.keys(CAPABILITIES).map((kind) => [kind, {} as Record<string, 1>]));
  const paths = ['/', '/nodes', '/access/groups', '/vms', '/storage', '/sdn', '/mapping'];
  for (const path of new Set([...paths, ...aclPaths(call)])) {
    const top = /^\/(\w+)/.exec(path)?.[1] ?? 'dc';
    const kinds = top === 'pool' ? ['vms', 'storage'] : [top];
    for (const kind of kinds) {
      for (const privilege of rights.privileges(user, path).keys()) {
        const held = found[kind];
        if (held && CAPABILITIES[kind]?.test(privilege)) held[privilege] = 1;
      }
    }
  }
  return found;
}

/** Entries hang in a tree: the paths above one count too. */
function aclPaths(call: Call): string[] {
  return [...call.pve.db.acls.values()].flatMap((acl) => pathAndAbove(acl.path));
}

async function changePassword(call: Call): Promise<null> {
  const { db } = call.pve;
  const user = requireUser(db, call.text('userid') ?? '');
  const asking = call.who.id;
  if (!call.who.isRoot) {
    if (user.id === 'root@pam') throw denied();
    const confirmation = call.text('confirmation-password');
    if (confirmation === undefined) {
      throw PveError.parameter({ 'confirmation-password': 'password is required to modify user' });
    }
    const own = db.users.get(asking)?.password;
    if (own === undefined || !isSecret(own, confirmation)) throw new PveError(500, 'invalid credentials');
    if (user.id !== asking && user.id.endsWith('@pam')) throw denied();
  }
  setPassword(call, user.id, call.text('password') ?? '');
  return null;
}

function showPermissions(call: Call): unknown {
  const { db } = call.pve;
  const id = call.text('userid') ?? call.who.id;
  const owned = id.split('!')[0] === call.who.id;
  if (id !== call.who.id && !owned) call.require('/access', ['Sys.Audit']);
  const rights = new Rights(db);
  const show = (path: string) =>
    Object.fromEntries(
      [...rights.privileges(id, path)].map(([privilege, propagates]) => [privilege, propagates ? 1 : 0]),
    );
  const only = call.text('path');
  if (only) return { [only]: show(only) };
  const members = [...db.pools.values()].flatMap((pool) => [
    ...pool.vms.map((vmid) => `/vms/${vmid}`),
    ...pool.storages.map((storage) => `/storage/${storage}`),
  ]);
  const tops = ['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms'];
  const paths = new Set([...tops, ...aclPaths(call), ...members]);
  const shown = [...paths].map((path) => [path, show(path)] as const);
  return Object.fromEntries(shown.filter(([, privileges]) => Object.keys(privileges).length > 0));
}
