/** Code frames show the user's lines; what looks like a secret in them is covered first. */
import { parseSecretRef } from './secret-ref.js';

const SENSITIVE_KEY = /token|passw|passphrase|secret|private|credential/i;
/** `user@realm!name=uuid`, wherever it stands. */
const API_TOKEN = /[\w.-]+@[\w.-]+![\w.-]+[=:]\S{8,}/g;
const KEY_AND_VALUE =
  /(?<=[\s{,]|^)["']?[\w.-]*(?:token|passw|passphrase|secret|private|credential)[\w.-]*["']?\s*:\s*(?<value>"[^"\n]*"|'[^'\n]*'|[^\s,}{[\]#&*|>][^\n,}#]*)/gim;

export function isSensitiveKey(key: string): boolean {
  return SENSITIVE_KEY.test(key);
}

/** The same length, so that lines and columns stay true. */
export function cover(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, '*') + text.slice(end);
}

/** Needs no parsed file: it must also work on lines that are not YAML. */
export function maskSecrets(text: string): string {
  let masked = text.replaceAll(API_TOKEN, (match) => '*'.repeat(match.length));
  for (const match of [...masked.matchAll(KEY_AND_VALUE)]) {
    const value = match.groups?.value?.trimEnd() ?? '';
    const bare = value.replace(/^["']|["']$/g, '');
    if (parseSecretRef(bare) || /^(true|false|null|~|)$/.test(bare)) continue;
    const start = match.index + match[0].length - (match.groups?.value?.length ?? 0);
    masked = cover(masked, start, start + value.length);
  }
  return masked;
}
