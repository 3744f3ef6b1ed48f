import { createHash } from 'node:crypto';
import type { Random } from '../../../lab.js';

/** The cloud-init password is kept hashed; one that is hashed already stays as it is. */
export function encryptPassword(password: string, random: Random): string {
  if (/^\$(?:[156]|2[ay])(\$.+){2}/.test(password)) return password;
  const salt = random.hex(16);
  const digest = createHash('sha256').update(`${salt}${password}`).digest('base64url');
  return `$5$${salt}$${digest}`;
}
