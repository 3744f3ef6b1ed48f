import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';

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
