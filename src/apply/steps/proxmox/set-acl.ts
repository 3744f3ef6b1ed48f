import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const setAcl: Executor<'set-acl'> = async (step, { client }) => {
  const { path, role, subject, propagate } = step;
  const there = (await client.acls()).some(
    (entry) =>
      entry.path === path &&
      entry.roleid === role &&
      entry.ugid === subject.id &&
      entry.propagate === propagate,
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
