import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

/** The VM stays as it is: HA only no longer looks after it. */
export const removeHaResource: Executor<'remove-ha-resource'> = async ({ sid, comment }, { client }) => {
  const find = async () => (await client.haResources()).find((one) => one.sid === sid);
  const now = await find();
  if (!now) return ALREADY;
  if (now.settings.comment !== comment)
    throw verifyFailed(`the HA resource ${sid} was changed meanwhile and is not removed`);
  await client.deleteHaResource(sid);
  if (await find()) throw verifyFailed(`the HA resource ${sid} is still there`);
  return DONE;
};
