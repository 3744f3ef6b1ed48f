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

function runCheck(check: PermissionCheck, context: CheckContext): void {
  const [test, ...rest] = check;
  switch (test) {
    case 'and':
      for (const part of rest) runCheck(asCheck(part), context);
      return;
    case 'or':
      if (!rest.some((part) => passes(asCheck(part), context))) throw denied();
      return;
    case 'perm':
      checkPrivileges(rest, context);
      return;
    case 'perm-modify':
      checkMayGrant(String(rest[0]), context);
      return;
    case 'userid-param':
      checkUserParameter(String(rest[0]), context);
      return;
    case 'userid-group':
      checkUserGroup(rest, context);
      return;
    default:
      throw new Error(`unknown permission test ${test}`);
  }
}

function asCheck(part: unknown): PermissionCheck {
  return z.tuple([z.string()], z.unknown()).parse(part);
}

function passes(check: PermissionCheck, context: CheckContext): boolean {
  try {
    runCheck(check, context);
    return true;
  } catch (error) {
    // Inside an `or` a user that does not exist is as good as a right that is not held.
    if (error instanceof PveError) return false;
    throw error;
  }
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

function checkPrivileges([template, list, ...rest]: unknown[], context: CheckContext): void {
  const { id, rights, parameters } = context;
  const set = options(rest);
  const required = set.get('require_param');
  if (required !== undefined && parameters[String(required)] === undefined) throw denied();
  const path = normalisePath(fill(String(template), context));
  requirePrivileges(rights.privileges(id, path), path, privilegeList.parse(list), Boolean(set.get('any')));
}

function checkMayGrant(template: string, context: CheckContext): void {
  const path = normalisePath(fill(template, context));
  // The handler refuses such a path itself.
  if (path === undefined) return;
  requireGrant(context.rights, context.id, path);
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

function checkUserParameter(test: string, { db, rights, id, parameters }: CheckContext): void {
  const userId = parameters.userid ?? '';
  requireUserName(userId);
  if (test === 'self') {
    requireUser(db, userId);
    if (id !== userId) throw denied();
    return;
  }
  const path = `/access/realm/${userId.slice(userId.lastIndexOf('@') + 1)}`;
  requirePrivileges(rights.privileges(id, path), path, ['Realm.AllocateUser']);
}

function checkUserGroup([list, ...rest]: unknown[], { db, rights, id, parameters }: CheckContext): void {
  const privileges = privilegeList.parse(list);
  const groupsParameter = options(rest).get('groups_param');
  const userId = parameters.userid ?? '';
  const mustExist = groupsParameter !== 'create';
  if (mustExist) requireUser(db, userId);
  const holds = (path: string) => privileges.some((privilege) => rights.privileges(id, path).has(privilege));
  if (holds('/access/groups')) return;

  if (groupsParameter !== undefined) {
    const wanted = splitList(parameters.groups ?? '');
    if (wanted.length === 0) throw privilegeDenied('/access/groups', privileges);
    for (const group of wanted) {
      const path = `/access/groups/${group}`;
      if (!db.groups.has(group) || !holds(path)) throw privilegeDenied(path, privileges);
    }
  }
  if (mustExist) {
    const groups = db.users.get(userId)?.groups ?? [];
    if (!groups.some((group) => holds(`/access/groups/${group}`))) throw denied();
  }
}
