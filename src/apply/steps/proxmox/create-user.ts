import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const createUser: Executor<'create-user'> = async (step, { client }) => {
  if ((await client.users()).some((user) => user.userid === step.user)) return ALREADY;
  await client.createUser(step.user, step.comment);
  return DONE;
};
