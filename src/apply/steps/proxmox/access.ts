/** Roles, users, rights, pools: small objects, each read before it is written. */
import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const setRole: Executor<'set-role'> = async (step, { client }) => {
  const there = (await client.roles()).find((role) => role.roleid === step.role);
  if (there && sameSet(there.privileges, step.privileges)) return ALREADY;
  if (there) await client.updateRole(step.role, step.privileges);
  else await client.createRole(step.role, step.privileges);
  return DONE;
};

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

export const createUser: Executor<'create-user'> = async (step, { client }) => {
  if ((await client.users()).some((user) => user.userid === step.user)) return ALREADY;
  await client.createUser(step.user, step.comment);
  return DONE;
};

export const setAcl: Executor<'set-acl'> = async (step, { client }) => {
  const { path, role, subject, propagate } = step;
  const there = (await client.acls()).some(
    (entry) => entry.path === path && entry.roleid === role && entry.ugid === subject.id,
  );
  if (there) return ALREADY;
  await client.grant({
    path,
    roles: [role],
    [subject.kind === 'user' ? 'users' : 'tokens']: [subject.id],
    propagate,
  });
  return DONE;
};

export const createPool: Executor<'create-pool'> = async (step, { client }) => {
  if ((await client.pools()).some((pool) => pool.poolid === step.pool)) return ALREADY;
  try {
    await client.createPool(step.pool, step.comment);
  } catch (error) {
    if (isProxmoxError(error, 'proxmox.exists')) return ALREADY;
    throw error;
  }
  return DONE;
};

export const joinPool: Executor<'join-pool'> = async (step, { client }) => {
  const members = (await client.pool(step.pool)).vmids;
  const missing = step.vmids.filter((vmid) => !members.includes(vmid));
  if (missing.length === 0) return ALREADY;
  await client.updatePool(step.pool, { vms: missing, allowMove: true });
  return DONE;
};
