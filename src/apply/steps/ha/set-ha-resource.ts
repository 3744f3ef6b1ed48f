import { differing, excess } from '../../../plan/ha/ha-settings.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

export const setHaResource: Executor<'set-ha-resource'> = async ({ sid, settings }, { client }) => {
  const find = async () => (await client.haResources()).find((one) => one.sid === sid)?.settings;
  const now = await find();
  if (now && differing(settings, now).length === 0) return ALREADY;
  if (now) {
    const off = excess(settings, now);
    await client.updateHaResource(sid, { ...settings, ...(off.length > 0 && { delete: off.join(',') }) });
  } else await client.createHaResource(sid, settings);
  const after = await find();
  if (!after || differing(settings, after).length > 0)
    throw verifyFailed(`the HA resource ${sid} differs from what was written`);
  return DONE;
};
