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
