import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const joinPool: Executor<'join-pool'> = async (step, { client }) => {
  const members = (await client.pool(step.pool)).vmids;
  const missing = step.vmids.filter((vmid) => !members.includes(vmid));
  if (missing.length === 0) return ALREADY;
  await client.updatePool(step.pool, { vms: missing, allowMove: true });
  return DONE;
};
