import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { CSI_TOKEN } from '../../../formats/marks/cluster-names.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

/** Looks once more whether anybody else has come to use it since the plan was made. */
export const removeLegacyAccess: Executor<'remove-legacy-access'> = async (step, context) => {
  const { what, name } = step;
  if (!(await isThere(context, step))) return ALREADY;
  const { client } = context;
  try {
    if (what === 'user') await client.deleteUser(name);
    else if (what === 'role') await client.deleteRole(name);
    else await client.deletePool(name);
  } catch (error) {
    if (!isProxmoxError(error, 'proxmox.not-found')) throw error;
  }
  return DONE;
};

async function isThere(
  { client }: StepContext,
  { what, name, subjects }: StepOf<'remove-legacy-access'>,
): Promise<boolean> {
  switch (what) {
    case 'user': {
      if (!(await client.users()).some((user) => user.userid === name)) return false;
      const further = (await client.tokens(name)).find((token) => token.tokenid !== CSI_TOKEN);
      if (further) throw inUse(`user ${name}`, `it has a token ${further.tokenid}`);
      return true;
    }
    case 'role': {
      if (!(await client.roles()).some((role) => role.roleid === name)) return false;
      const user = (await client.acls()).find(
        (entry) => entry.roleid === name && !subjects.includes(entry.ugid),
      );
      if (user) throw inUse(`role ${name}`, `${user.ugid} has it on ${user.path}`);
      return true;
    }
    case 'pool': {
      if (!(await client.pools()).some((pool) => pool.poolid === name)) return false;
      const { vmids, storages } = await client.pool(name);
      const [member] = [...vmids.map((vmid) => `VM ${vmid}`), ...storages];
      if (member !== undefined) throw inUse(`pool ${name}`, `${member} is in it`);
      return true;
    }
  }
}

function inUse(what: string, why: string): StepError {
  return new StepError('apply.in-use', `${what} is in use since the plan was created: ${why}`, {
    advice: 'it was left as it is; run plan again',
  });
}
