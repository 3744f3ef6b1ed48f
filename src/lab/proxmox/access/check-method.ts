/** A method's own permission check, before its parameters are looked at (pve-access-control, exec_api2_perm_check). */
import { z } from 'zod';
import { PveError } from '../api.js';
import type { PveDb } from '../db.js';
import type { MethodPermissions, PermissionCheck } from '../schema.js';
import { splitList, userIdProblem } from '../validation/formats.js';
import { normalisePath } from './acl-path.js';
import { denied, privilegeDenied, requirePrivileges } from './denied.js';
import type { Rights } from './rights.js';

interface CheckContext {
  readonly db: PveDb;
  readonly rights: Rights;
  /** Empty: no one has logged in. */
  readonly id: string;
  /** Before any check of their values. */
  readonly parameters: Readonly<Record<string, string>>;
}

const privilegeList = z.array(z.string());
const optionPairs = z.array(z.union([z.string(), z.number()]));

export function checkMethod(permissions: MethodPermissions | undefined, context: CheckContext): void {
  const { id } = context;
  if (id === '' && permissions?.user === 'world') return;
  if (id === '') throw denied('user != null');
  if (id === 'root@pam') return;
  if (!permissions) throw denied('user != root@pam');
  if (permissions.user === 'all') return;
  if (!permissions.check) throw denied();
  runCheck(permissions.check, context);
}

/** Throws what is lacking, or gives back `false` where `quiet` is set, which not every test heeds. */
function runCheck(check: PermissionCheck, context: CheckContext, quiet = false): boolean {
  const [test, ...rest] = check;
  switch (test) {
    case 'and':
      // Not quiet, even inside an `or`: what comes after it there is never looked at (PUT /access/password).
      for (const part of rest) runCheck(asCheck(part), context);
      return true;
    case 'or':
      return rest.some((part) => runCheck(asCheck(part), context, true)) || refuse(denied(), quiet);
    case 'perm':
      return checkPrivileges(rest, context, quiet);
    case 'perm-modify':
      return checkMayGrant(String(rest[0]), context, quiet);
    case 'userid-param':
      return checkUserParameter(String(rest[0]), context, quiet);
    case 'userid-group':
      return checkUserGroup(rest, context, quiet);
    default:
      throw new Error(`unknown permission test ${test}`);
  }
}

function refuse(error: PveError, quiet: boolean): false {
  if (quiet) return false;
  throw error;
}

function quietly(check: () => void, quiet: boolean): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof PveError) return refuse(error, quiet);
    throw error;
  }
}

function asCheck(part: unknown): PermissionCheck {
  return z.tuple([z.string()], z.unknown()).parse(part);
}

function fill(template: string, { parameters }: CheckContext): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => parameters[name] || '-');
}

/** `'any', 1, 'require_param', 'pool'` */
function options(list: unknown[]): Map<string, string | number> {
  const values = optionPairs.parse(list);
  const pairs = new Map<string, string | number>();
  for (let index = 0; index + 1 < values.length; index += 2) {
    pairs.set(String(values[index]), values[index + 1] ?? '');
  }
  return pairs;
}

function checkPrivileges(
  [template, list, ...rest]: unknown[],
  context: CheckContext,
  quiet: boolean,
): boolean {
  const { id, rights, parameters } = context;
  const set = options(rest);
  const required = set.get('require_param');
  if (required !== undefined && parameters[String(required)] === undefined) return refuse(denied(), quiet);
  const path = normalisePath(fill(String(template), context));
  const held = rights.privileges(id, path);
  return quietly(
    () => requirePrivileges(held, path, privilegeList.parse(list), Boolean(set.get('any'))),
    quiet,
  );
}

function checkMayGrant(template: string, context: CheckContext, quiet: boolean): boolean {
  const path = normalisePath(fill(template, context));
  // The handler refuses such a path itself.
  if (path === undefined) return false;
  return quietly(() => requireGrant(context.rights, context.id, path), quiet);
}

/** The right to change permissions on a path, or to make the thing that lives there. */
export function requireGrant(rights: Rights, id: string, path: string): void {
  const privileges = ['Permissions.Modify'];
  if (/^\/storage\/./.test(path)) privileges.push('Datastore.Allocate');
  else if (/^\/vms\/./.test(path)) privileges.push('VM.Allocate');
  else if (/^\/pool\/./.test(path)) privileges.push('Pool.Allocate');
  requirePrivileges(rights.privileges(id, path), path, privileges, true);
}

function requireUserName(userId: string): void {
  const problem = userIdProblem(userId);
  if (problem !== undefined) throw new PveError(500, problem);
}

function requireUser(db: PveDb, userId: string): void {
  requireUserName(userId);
  if (!db.users.has(userId)) throw new PveError(500, `no such user ('${userId}')`);
}

function checkUserParameter(test: string, context: CheckContext, quiet: boolean): boolean {
  const { db, rights, id, parameters } = context;
  const userId = parameters.userid ?? '';
  requireUserName(userId);
  if (test === 'self') {
    if (!quietly(() => requireUser(db, userId), quiet)) return false;
    return id === userId || refuse(denied(), quiet);
  }
  const path = `/access/realm/${userId.slice(userId.lastIndexOf('@') + 1)}`;
  return quietly(() => requirePrivileges(rights.privileges(id, path), path, ['Realm.AllocateUser']), quiet);
}

function checkUserGroup([list, ...rest]: unknown[], context: CheckContext, quiet: boolean): boolean {
  const { db, rights, id, parameters } = context;
  const privileges = privilegeList.parse(list);
  const groupsParameter = options(rest).get('groups_param');
  const userId = parameters.userid ?? '';
  const mustExist = groupsParameter !== 'create';
  if (mustExist && !quietly(() => requireUser(db, userId), quiet)) return false;
  const holds = (path: string) => privileges.some((privilege) => rights.privileges(id, path).has(privilege));
  if (holds('/access/groups')) return true;

  if (groupsParameter !== undefined) {
    const wanted = splitList(parameters.groups ?? '');
    if (wanted.length === 0) throw privilegeDenied('/access/groups', privileges);
    for (const group of wanted) {
      const path = `/access/groups/${group}`;
      if (!db.groups.has(group) || !holds(path)) throw privilegeDenied(path, privileges);
    }
  }
  if (!mustExist) return true;
  const groups = db.users.get(userId)?.groups ?? [];
  return groups.some((group) => holds(`/access/groups/${group}`)) || refuse(denied(), quiet);
}
