import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError } from '../status.js';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** A client certificate of the cluster's CA (CN is the user, O its groups), a bearer token, or no one. */
export function authenticate(request: IncomingMessage, tokens: ReadonlyMap<string, User>): User {
  const { authorization = '' } = request.headers;
  if (/^bearer /i.test(authorization)) {
    const user = tokens.get(authorization.slice('bearer '.length).trim());
    if (!user) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
    return authenticated(user);
  }
  const certificate = certificateUser(request);
  return certificate ? authenticated(certificate) : ANONYMOUS;
}

function certificateUser(request: IncomingMessage): User | undefined {
  if (!(request.socket instanceof TLSSocket)) return undefined;
  const { subject } = request.socket.getPeerCertificate();
  if (!subject) return undefined;
  if (!request.socket.authorized) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
  // Several organisations come as a list, whatever the declared type says.
  const groups = [subject.O].flat().filter((group) => typeof group === 'string');
  return { name: [subject.CN].flat().join(','), groups };
}

function authenticated(user: User): User {
  return { name: user.name, groups: [...user.groups, 'system:authenticated'] };
}
