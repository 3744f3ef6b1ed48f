/** What all files of sections have in common (pve-common, PVE/SectionConfig.pm). */
import { createHash } from 'node:crypto';
import { PveError } from './api.js';

export function digestOfText(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex');
}

export function assertDigest(given: unknown, actual: string): void {
  if (given !== undefined && given !== '' && given !== actual) {
    throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
  }
}
