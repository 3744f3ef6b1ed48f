/** Second factors (pve-access-control, PVE/API2/TFA.pm, PVE/API2/User.pm): no user of the lab has one. */
import { type Handlers, PveError } from '../api.js';
import { parsePropertyString } from '../validation/check.js';
import { realmNamed } from './realms.js';

export const secondFactorHandlers: Handlers = {
  'GET /access/tfa': () => [],
  'GET /access/tfa/{userid}': () => [],
  'GET /access/tfa/{userid}/{id}': (call) => {
    throw new PveError(404, `No such tfa entry '${call.text('id') ?? ''}'`);
  },
  'GET /access/users/{userid}/tfa': (call) => {
    const user = call.text('userid') ?? '';
    const realm = user.slice(user.lastIndexOf('@') + 1);
    const settings = realmNamed(call.pve, realm);
    if (!settings) throw new PveError(500, `auth domain '${realm}' does not exist`);
    const { tfa } = settings;
    return {
      ...(tfa && { realm: parsePropertyString('pve-tfa-config', String(tfa)).type }),
      ...(call.flag('multiple') && { user: [] }),
    };
  },
};
