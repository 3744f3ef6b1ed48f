/** Who sends a request (pve-manager, PVE/HTTPServer.pm, auth_handler); recordings `protocol-errors`, `login-ticket`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { PveDb } from '../db.js';
import { isTokenId } from '../validation/formats.js';
import { isSecret } from './secrets.js';
import type { TicketOffice } from './tickets.js';

/** 401 with an empty body. */
export class Unauthorized extends Error {}

export interface Sender {
  /** `user@realm` or `user@realm!token`; empty: no one, which a few calls allow. */
  readonly id: string;
  readonly byToken: boolean;
}

const OPEN = new Set([
  'GET /access/domains',
  'GET /access/ticket',
  'POST /access/ticket',
  'POST /access/vncticket',
  'POST /access/openid/login',
  'POST /access/openid/auth-url',
]);

export function authenticate(
  deps: { db: PveDb; tickets: TicketOffice; now(): number },
  request: { method: string; path: string; headers: IncomingHttpHeaders },
): Sender {
  const { headers } = request;
  const ticket =
    credential(headers.cookie, 'PVEAuthCookie') || credential(headers.authorization, 'PVEAuthCookie');
  const token = ticket ? '' : credential(headers.authorization, 'PVEAPIToken');
  if (OPEN.has(`${request.method} ${request.path}`)) return { id: '', byToken: token !== '' };

  const seconds = Math.floor(deps.now() / 1000);
  if (token) {
    const id = tokenId(deps.db, token, seconds);
    if (id === undefined) throw new Unauthorized('Authentication failed!');
    return { id, byToken: true };
  }
  if (!ticket) throw new Unauthorized('No ticket');
  const user = deps.tickets.userOf(ticket);
  if (user === undefined || !isEnabled(deps.db, user, seconds))
    throw new Unauthorized('Authentication failed!');
  if (request.method !== 'GET') {
    const csrf = headers.csrfpreventiontoken;
    if (typeof csrf !== 'string' || !deps.tickets.isCsrfOf(user, csrf)) {
      throw new Unauthorized('Permission denied - invalid csrf token');
    }
  }
  return { id: user, byToken: false };
}

function credential(header: string | undefined, name: string): string {
  const value = new RegExp(`(?:^|\\s)${name}(?:=| )([^;]*)`).exec(header ?? '')?.[1] ?? '';
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function tokenId(db: PveDb, credentials: string, seconds: number): string | undefined {
  const [, id = '', secret = ''] = /^(.*)=(.*)$/.exec(credentials) ?? [];
  const token = db.tokens.get(id);
  if (!isTokenId(id) || !token || !isEnabled(db, token.user, seconds)) return undefined;
  if (token.expire !== 0 && token.expire < seconds) return undefined;
  return isSecret(token.secret, secret) ? id : undefined;
}

/** A user that is disabled or expired can do nothing, and his tokens neither. */
export function isEnabled(db: PveDb, user: string, seconds: number): boolean {
  const record = db.users.get(user);
  return record?.enable === true && (record.expire === 0 || record.expire >= seconds);
}
