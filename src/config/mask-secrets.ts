/** Code frames show the user's lines; what looks like a secret in them is covered first. */
import { parseSecretRef } from './secret-ref.js';

const SENSITIVE_KEY = /token|passw|passphrase|secret|private|credential/i;
/** `user@realm!name=uuid`, wherever it stands. */
const API_TOKEN = /[\w.-]+@[\w.-]+![\w.-]+[=:]\S{8,}/g;
/** A key and the rest of its line. */
const KEY_AND_REST = /(?<=[\s{,]|^)["']?(?<key>[\w.-]+)["']?[ \t]*:[ \t]+(?<rest>[^\n]*)/gm;
const QUOTED = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/;

export function isSensitiveKey(key: string): boolean {
  return SENSITIVE_KEY.test(key);
}

/** The same length, so that lines and columns stay true. */
export function cover(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, '*') + text.slice(end);
}

/** Needs no parsed file: it must also work on lines that are not YAML. */
export function maskSecrets(text: string): string {
  return text
    .replaceAll(API_TOKEN, (match) => '*'.repeat(match.length))
    .split('\n')
    .map((line) => (SENSITIVE_KEY.test(line) ? maskLine(line) : line))
    .join('\n');
}

function maskLine(line: string): string {
  let masked = line;
  let from = 0;
  for (;;) {
    KEY_AND_REST.lastIndex = from;
    const match = KEY_AND_REST.exec(masked);
    if (!match?.groups) return masked;
    const { key = '', rest = '' } = match.groups;
    const start = match.index + match[0].length - rest.length;
    from = start;
    if (!SENSITIVE_KEY.test(key)) continue;
    const value = valueIn(rest, masked.slice(0, match.index).includes('{'));
    if (!isSecret(value)) continue;
    masked = cover(masked, start, start + value.length);
    from = start + value.length;
  }
}

/** The value at the beginning of the rest of a line; inside braces it ends at a comma. */
function valueIn(rest: string, inFlow: boolean): string {
  const quoted = QUOTED.exec(rest)?.[0];
  if (quoted !== undefined) return quoted;
  const upToComment = rest.replace(/\s+#.*$/, '');
  return (inFlow ? upToComment.replace(/[,}].*$/, '') : upToComment).trimEnd();
}

function isSecret(value: string): boolean {
  // A mapping, a list, an alias or a block scalar: the parsed file knows what is in it.
  if (/^(true|false|null|~|[{[*&|>].*)?$/.test(value)) return false;
  return parseSecretRef(value.replaceAll(/^["']|["']$/g, '')) === undefined;
}
