import type { Handlers } from '../api.js';
import { aclHandlers } from './acl.js';
import { groupHandlers } from './groups.js';
import { loginHandlers } from './login.js';
import { realmSyncHandlers } from './realm-sync-jobs.js';
import { realmHandlers } from './realms.js';
import { roleHandlers } from './roles.js';
import { secondFactorHandlers } from './second-factors.js';
import { tokenHandlers } from './tokens.js';
import { userHandlers } from './users.js';

export const accessHandlers: Handlers = {
  'GET /access': () =>
    ['users', 'groups', 'roles', 'acl', 'domains', 'openid', 'tfa', 'ticket', 'password'].map((subdir) => ({
      subdir,
    })),
  ...aclHandlers,
  ...groupHandlers,
  ...loginHandlers,
  ...realmHandlers,
  ...realmSyncHandlers,
  ...roleHandlers,
  ...secondFactorHandlers,
  ...tokenHandlers,
  ...userHandlers,
};
