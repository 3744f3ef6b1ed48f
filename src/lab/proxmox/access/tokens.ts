/** API tokens (pve-access-control, PVE/API2/User.pm). Only a hash of the secret is kept. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { TokenRecord } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';
import { hashSecret } from './secrets.js';

export const tokenHandlers: Handlers = {
  'GET /access/users/{userid}/token': (call) => {
    requireUserOf(call);
    return [...call.pve.db.tokens.values()]
      .filter((token) => token.user === call.text('userid'))
      .map((token) => ({ tokenid: token.id, ...describeToken(token) }));
  },
  'GET /access/users/{userid}/token/{tokenid}': (call) => describeToken(requireToken(call)),
  'POST /access/users/{userid}/token/{tokenid}': createToken,
  'PUT /access/users/{userid}/token/{tokenid}': updateToken,
  'DELETE /access/users/{userid}/token/{tokenid}': (call) => {
    requireToken(call);
    return withClusterLock(call.pve, 'user_cfg', 'deleting token failed', () => {
      const { db } = call.pve;
      db.tokens.delete(fullId(call));
      for (const [key, acl] of [...db.acls.entries()]) {
        if (acl.type === 'token' && acl.ugid === fullId(call)) db.acls.delete(key);
      }
      return null;
    });
  },
};

const fullId = (call: Call) => `${call.text('userid')}!${call.text('tokenid')}`;

export function describeToken(token: TokenRecord): Record<string, unknown> {
  const { privsep, expire, comment } = token;
  return { privsep: privsep ? 1 : 0, expire, ...(comment ? { comment } : {}) };
}

function requireUserOf(call: Call): void {
  const user = call.text('userid') ?? '';
  if (!call.pve.db.users.has(user)) throw new PveError(500, `no such user ('${user}')`);
}

function requireToken(call: Call): TokenRecord {
  requireUserOf(call);
  const token = call.pve.db.tokens.get(fullId(call));
  if (!token) {
    throw new PveError(500, `no such token '${call.text('tokenid')}' for user '${call.text('userid')}'`);
  }
  return token;
}

async function createToken(call: Call): Promise<unknown> {
  const { db, core } = call.pve;
  requireUserOf(call);
  if (db.tokens.has(fullId(call))) throw PveError.parameter({ tokenid: 'Token already exists.' });
  return withClusterLock(call.pve, 'user_cfg', 'generating token failed', () => {
    const value = core.random.uuid();
    const comment = call.text('comment');
    const expire = call.text('expire');
    const privsep = call.text('privsep');
    db.tokens.put(fullId(call), {
      user: call.text('userid') ?? '',
      id: call.text('tokenid') ?? '',
      secret: hashSecret(core.random.hex(16), value),
      privsep: privsep !== '0',
      expire: Number(expire ?? 0),
      ...(comment ? { comment } : {}),
    });
    // What was sent comes back as it was sent: as text (recording `provisioner-rights`).
    const info = {
      privsep: privsep ?? 1,
      ...(expire === undefined ? {} : { expire }),
      ...(comment ? { comment } : {}),
    };
    return { info, value, 'full-tokenid': fullId(call) };
  });
}

async function updateToken(call: Call): Promise<unknown> {
  const { db, core } = call.pve;
  requireToken(call);
  return withClusterLock(call.pve, 'user_cfg', 'updating token info failed', () => {
    const token = requireToken(call);
    const unknown = splitList(call.text('delete') ?? '').find((key) => key !== 'comment');
    if (unknown !== undefined) throw PveError.parameter({ delete: `unknown option '${unknown}'` });
    const { comment: earlier, ...rest } = token;
    const comment = call.text('delete') ? undefined : (call.text('comment') ?? earlier);
    const value = call.flag('regenerate') ? core.random.uuid() : undefined;
    const changed: TokenRecord = {
      ...rest,
      privsep: call.number('privsep') === undefined ? token.privsep : call.flag('privsep'),
      expire: call.number('expire') ?? token.expire,
      ...(comment ? { comment } : {}),
      ...(value === undefined ? {} : { secret: hashSecret(core.random.hex(16), value) }),
    };
    db.tokens.put(fullId(call), changed);
    // As in `createToken`, what was sent comes back as text.
    const sent = Object.entries({ privsep: call.text('privsep'), expire: call.text('expire') });
    return {
      ...describeToken(changed),
      ...Object.fromEntries(sent.filter(([, text]) => text !== undefined)),
      ...(value === undefined ? {} : { value, 'full-tokenid': fullId(call) }),
    };
  });
}
