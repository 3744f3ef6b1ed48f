import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

export const removeHaRule: Executor<'remove-ha-rule'> = async ({ rule }, { client }) => {
  const find = async () => (await client.haRules()).some((one) => one.rule === rule);
  if (!(await find())) return ALREADY;
  await client.deleteHaRule(rule);
  if (await find()) throw verifyFailed(`the HA rule ${rule} is still there`);
  return DONE;
};
