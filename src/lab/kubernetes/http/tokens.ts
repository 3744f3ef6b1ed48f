import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { Table } from '../../store.js';
import { isObj, type Obj, objOf, textOf } from '../json.js';
import type { User } from './authenticate.js';

export const ISSUER = 'https://kubernetes.default.svc';
const KEY = 'service-account';

/** Finds the object that a token is bound to, and whose end ends it. */
type Find = (resource: string, namespace: string, name: string) => { readonly uid: string } | undefined;

interface TokenClaims {
  readonly namespace: string;
  readonly account: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Milliseconds of lab time. */
  readonly issued: number;
  readonly expires: number;
  readonly id: string;
}

/** Signs and judges the tokens of service accounts; the key is kept with the lab. */
export class ServiceAccountTokens {
  constructor(private readonly keys: Table<string>) {}

  issue(claims: TokenClaims): string {
    const seconds = (ms: number) => Math.floor(ms / 1000);
    const { namespace, account, uid } = claims;
    const payload = {
      aud: claims.audiences,
      exp: seconds(claims.expires),
      iat: seconds(claims.issued),
      iss: ISSUER,
      jti: claims.id,
      'kubernetes.io': { namespace, serviceaccount: { name: account, uid } },
      nbf: seconds(claims.issued),
      sub: `system:serviceaccount:${namespace}:${account}`,
    };
    const text = `${part({ alg: 'ES256', kid: 'lab' })}.${part(payload)}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#key(), dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** Whose token it is; `undefined` where it is none, is over, or its account is gone. */
  user(token: string, now: number, audience: string, find: Find): User | undefined {
    const claims = this.#claims(token);
    if (!claims) return undefined;
    const { namespace, serviceaccount } = objOf(claims['kubernetes.io']);
    const { name, uid } = objOf(serviceaccount);
    const audiences = Array.isArray(claims.aud) ? claims.aud : [];
    if (!audiences.includes(audience) || Number(claims.exp) * 1000 <= now) return undefined;
    const account = find('serviceaccounts', textOf(namespace), textOf(name));
    if (account?.uid !== uid) return undefined;
    return {
      ...serviceAccountUser(textOf(namespace), textOf(name)),
      uid: textOf(uid),
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${textOf(claims.jti)}`] },
    };
  }

  #claims(token: string): Obj | undefined {
    const [header, payload, signature] = token.split('.');
    if (!header || !payload || !signature) return undefined;
    const key = { key: createPublicKey(this.#key()), dsaEncoding: 'ieee-p1363' as const };
    const text = Buffer.from(`${header}.${payload}`);
    if (!verify('sha256', text, key, Buffer.from(signature, 'base64url'))) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObj(claims) ? claims : undefined;
  }

  #key() {
    const known = this.keys.get(KEY);
    if (known) return createPrivateKey(known);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.keys.put(KEY, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    return privateKey;
  }
}

export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
