import { differing, excess } from '../../../plan/ha/ha-settings.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

export const setHaRule: Executor<'set-ha-rule'> = async ({ rule, type, settings }, { client }) => {
  const find = async () => (await client.haRules()).find((one) => one.rule === rule)?.settings;
  const now = await find();
  if (now && differing(settings, now).length === 0) return ALREADY;
  if (now) {
    const off = excess(settings, now);
    await client.updateHaRule(rule, type, { ...settings, ...(off.length > 0 && { delete: off.join(',') }) });
  } else await client.createHaRule(rule, type, settings);
  const after = await find();
  if (!after || differing(settings, after).length > 0)
    throw verifyFailed(`the HA rule ${rule} differs from what was written`);
  return DONE;
};
