import { hashParts } from '../../../formats/text/hash.js';

/** What is kept of a token's or a user's secret. */
export function hashSecret(salt: string, secret: string): string {
  return `${salt}$${hashParts([salt, secret])}`;
}

export function isSecret(hash: string, secret: string): boolean {
  const salt = hash.slice(0, hash.indexOf('$'));
  return hash === hashSecret(salt, secret);
}
