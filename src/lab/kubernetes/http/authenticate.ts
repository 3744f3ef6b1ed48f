import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError, badRequest } from '../status.js';
import type { Server } from './server.js';
import { ISSUER, serviceAccountUser } from './tokens.js';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

type Accounts = Pick<Server, 'tokens' | 'accountTokens' | 'api'>;

/** A client certificate of the cluster's CA (CN is the user, O its groups), a bearer token, or no one. */
export function authenticate(request: IncomingMessage, server: Accounts): User {
  const { authorization = '' } = request.headers;
  if (/^bearer /i.test(authorization)) {
    const user = tokenUser(server, authorization.slice('bearer '.length).trim());
    if (!user) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
    return user;
  }
  const certificate = certificateUser(request);
  return certificate ? authenticated(certificate) : ANONYMOUS;
}

/** Whose token it is, with the group that all known users have. */
export function tokenUser(
  { tokens, accountTokens, api }: Accounts,
  token: string,
  audience = ISSUER,
): User | undefined {
  const known = tokens.get(token);
  if (known) return authenticated(known);
  const account = accountTokens.user(token, api.now, audience, (resource, namespace, name) => {
    const uid = api.find(resource, namespace, name)?.metadata.uid;
    return uid === undefined ? undefined : { uid };
  });
  return account ? authenticated(account) : undefined;
}

/** The user that the request is to be judged as (`Impersonate-User`); `undefined`: the one who sent it. */
export function impersonated({ headers }: IncomingMessage): User | undefined {
  const name = [headers['impersonate-user']].flat()[0] ?? '';
  const groups = [headers['impersonate-group']].flat().flatMap((group) => group?.split(', ') ?? []);
  const uid = [headers['impersonate-uid']].flat()[0];
  const extra = impersonatedExtra(headers);
  if (name === '') {
    if (groups.length > 0 || uid !== undefined) {
      const list =
        groups.length > 0
          ? `[]string{${groups.map((group) => JSON.stringify(group)).join(', ')}}`
          : '[]string(nil)';
      const shown = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid ?? '')}, Groups:${list}, Extra:map[string][]string(nil)}`;
      throw badRequest(`requested ${shown} without impersonating a user name`);
    }
    return undefined;
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const own =
    account && groups.length === 0 ? serviceAccountUser(account[1] ?? '', account[2] ?? '').groups : groups;
  const user = { name, groups: own, ...(uid === undefined ? {} : { uid }), ...(extra ? { extra } : {}) };
  return name === ANONYMOUS.name ? { ...user, groups: [...own, ...ANONYMOUS.groups] } : authenticated(user);
}

/** `Impersonate-Extra-Scopes: a`: more that is known of the user. */
function impersonatedExtra(headers: IncomingMessage['headers']): User['extra'] {
  const prefix = 'impersonate-extra-';
  const entries = Object.entries(headers)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [
      decodeURIComponent(name.slice(prefix.length)),
      [value].flat().flatMap((text) => text?.split(', ') ?? []),
    ]);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The certificate of a connection is the same for all its requests, and reading it is slow. */
const subjects = new WeakMap<TLSSocket, ReturnType<TLSSocket['getPeerCertificate']>['subject'] | undefined>();

function certificateUser({ socket }: IncomingMessage): User | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  if (!subjects.has(socket)) subjects.set(socket, socket.getPeerCertificate().subject);
  const subject = subjects.get(socket);
  if (!subject) return undefined;
  if (!socket.authorized) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
  // Several organisations come as a list, whatever the declared type says.
  const groups = [subject.O].flat().filter((group) => typeof group === 'string');
  return { name: [subject.CN].flat().join(','), groups };
}

function authenticated(user: User): User {
  if (user.groups.includes('system:authenticated')) return user;
  return { ...user, groups: [...user.groups, 'system:authenticated'] };
}
